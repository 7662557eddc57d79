import AgentTestKit
import EventLoopExecutor
import Foundation
import Glibc
import NIOCore
import NIOPosix

@testable import Hooks

/// A directory with programs, and the means to run them in tests.
final class HookFixture: Sendable {
    static let loop = MultiThreadedEventLoopGroup.singleton.next()

    private let temporary: TemporaryDirectory
    var directory: String { temporary.path }

    init() throws { temporary = try TemporaryDirectory() }

    /// Writes a file, executable by all.
    @discardableResult
    func file(_ name: String, _ content: some DataProtocol) throws -> String {
        let path = directory + "/" + name
        try writeFile(content, to: path, mode: 0o755)
        return path
    }

    /// A shell script that was checked.
    func script(_ text: String, name: String = "hook", interpreter: String = "/bin/sh") throws -> HookFile {
        try HookFile.open(file(name, Data("#!\(interpreter)\n\(text)\n".utf8)), runAs: nil)
    }

    /// Returns the launch of a file.
    static func launch(
        _ file: HookFile,
        name: String? = nil,
        _ arguments: [String] = [],
        environment: [String: String] = ["PATH": HookEnvironment.path],
        workingDirectory: String = "/",
        account: HookAccount? = nil,
        input: [UInt8] = [],
        timeout: Duration = .seconds(60)
    ) -> HookLaunch {
        HookLaunch(
            file: file,
            name: name,
            arguments: arguments,
            environment: environment,
            workingDirectory: workingDirectory,
            account: account,
            input: input,
            timeout: timeout
        )
    }

    /// Runs to the end; `stop` after a time, when one is given.
    static func run(
        _ launch: HookLaunch,
        stopAfter: Duration? = nil
    ) async -> HookProcess.End {
        await withCheckedContinuation { continuation in
            let process = HookProcess.start(launch, on: LoopGate(loop)) { continuation.resume(returning: $0) }
            if let stopAfter { loop.scheduleTask(in: TimeAmount(stopAfter)) { process.stop() } }
        }
    }

    /// Returns `true` while a process lives; a zombie does not.
    static func lives(_ number: pid_t) -> Bool {
        guard let text = try? String(contentsOfFile: "/proc/\(number)/stat", encoding: .utf8) else { return false }
        return text.split(separator: ")").last?.split(separator: " ").first != "Z"
    }

    /// Returns `true` when a process is gone within ten seconds: signals are delivered asynchronously.
    static func goes(_ number: pid_t) async throws -> Bool {
        for _ in 0..<1000 where lives(number) { try await Task.sleep(for: .milliseconds(10)) }
        return !lives(number)
    }
}
