import AgentTestKit
import Foundation

/// A pipe with a name, at which hooks wait to be let go: `read line < GATE` in a script.
///
/// Hooks that wait when this object is deallocated are let go too.
final class HookGate: Sendable {
    private let descriptor: Int32

    fileprivate init(_ path: String) throws {
        // Also a reader: opening then succeeds before any script has the pipe open.
        descriptor = Glibc.open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw CommandFailure(command: "open \(path)", status: errno, output: "") }
    }

    deinit { close(descriptor) }

    /// Lets so many runs go, those that wait already and those that come.
    func open(for count: Int = 1) {
        let lines = [UInt8](repeating: UInt8(ascii: "\n"), count: count)
        _ = write(descriptor, lines, lines.count)
    }
}

extension HookLab {
    /// Makes a gate below the lab's directory.
    func gate(_ name: String) throws -> HookGate { try HookGate(makePipe(name)) }

    /// Makes a pipe below the lab's directory, and returns the lines that hooks write to it.
    ///
    /// - Parameter ends: `true` when the lines end as soon as no process has the pipe open for writing.
    func channel(_ name: String, ends: Bool = false) throws -> CommandLines {
        let pipe = try makePipe(name)
        return try CommandLines("exec cat \(ends ? "<" : "<>") \(pipe)")
    }

    private func makePipe(_ name: String) throws -> String {
        let pipe = "\(path)/\(name)"
        guard mkfifo(pipe, 0o600) == 0 else {
            throw CommandFailure(command: "mkfifo \(pipe)", status: errno, output: "")
        }
        return pipe
    }
}

extension CommandLines {
    /// The next lines, so many of them.
    func take(_ count: Int) async -> [String] {
        var lines: [String] = []
        while lines.count < count, let line = await next() { lines.append(line) }
        return lines
    }
}
