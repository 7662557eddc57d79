import AgentTestKit
import Foundation
import Glibc

/// A script of `examples/hooks`, and tools that only record their calls.
final class ExampleHook: Sendable {
    static let directory = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "examples/hooks")

    /// The scripts' names, in order.
    static let names = ((try? FileManager.default.contentsOfDirectory(atPath: directory.path())) ?? [])
        .filter { $0.first?.isNumber == true }.sorted()

    /// The result of a script, and the calls that it made: words joined by bars.
    struct Outcome {
        let command: FinishedCommand
        let calls: [String]

        /// The calls of a script that succeeded and wrote nothing to standard error; else its status and its messages.
        var done: [String] {
            command.status == 0 && command.error.isEmpty ? calls : ["status \(command.status): \(command.error)"]
        }
    }

    private let script: String
    private let temporary: TemporaryDirectory
    private var workspace: URL { temporary.url }
    /// A directory for the files that the script is to find.
    let files: URL

    /// - Parameters:
    ///   - standIns: The programs that `stand-in.sh` stands for.
    ///   - tools: Programs of the machine that the script finds as they are.
    init(_ name: String, standIns: [String] = [], tools: [String] = []) throws {
        script = Self.directory.appending(path: name).path()
        temporary = try TemporaryDirectory()
        files = temporary.url.appending(path: "f")
        try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
        try FileManager.default.createDirectory(at: workspace.appending(path: "bin"), withIntermediateDirectories: true)
        // Links, and no new files: one that has just been written cannot be executed while another test starts a program.
        let standIn = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "stand-in.sh").path()
        for tool in standIns { try link(tool, to: standIn) }
        for tool in tools {
            let path = ["/usr/bin", "/bin"].map { "\($0)/\(tool)" }.first { FileManager.default.fileExists(atPath: $0) }
            try link(tool, to: path ?? "/nonexistent")
        }
    }

    private func link(_ tool: String, to path: String) throws {
        try FileManager.default.createSymbolicLink(
            atPath: workspace.appending(path: "bin/\(tool)").path(),
            withDestinationPath: path
        )
    }

    /// Runs it with these variables, the line of an event, and a PATH of nothing but the tools.
    func run(_ variables: [String: String], event: [UInt8] = Array("{}".utf8)) async throws -> Outcome {
        let calls = workspace.appending(path: "calls")
        try? FileManager.default.removeItem(at: calls)
        let all = variables.merging(["PATH": workspace.appending(path: "bin").path()]) { given, _ in given }
        let command = try await FinishedCommand.run(
            ["-i"] + all.map { "\($0.key)=\($0.value)" } + [script],
            of: "/usr/bin/env",
            input: String(decoding: event, as: UTF8.self) + "\n",
            patience: 30
        )
        let text = (try? String(contentsOf: calls, encoding: .utf8)) ?? ""
        return Outcome(command: command, calls: text.split(separator: "\n").map(String.init))
    }
}

/// Returns the variables that hooks receive for a transition between two states such as `"wifi wlan0 full"`; the words
/// after the first one may be left out.
func transition(_ from: String, _ to: String, _ others: [String: String] = [:]) -> [String: String] {
    var variables = ["REACH_TYPE": "reachability.changed", "REACH_SUBJECT": "default"]
    for (side, text) in [("FROM", from), ("TO", to)] {
        let words = text.split(separator: " ").map(String.init)
        for (name, word) in zip(["VIA", "INTERFACE", "CONNECTIVITY"], words) where word != "-" {
            variables["REACH_\(side)_\(name)"] = word
        }
    }
    return variables.merging(others) { $1 }
}

/// A stand-in for /run/user: a directory for each user, with the socket of the user's bus, which is not listened on.
final class RuntimeDirectories {
    /// The reason that there is no socket.
    struct Failure: Error {
        let code: Int32
    }

    private let directory: TemporaryDirectory
    var path: String { directory.path }
    private var descriptors: [Int32] = []

    init(_ users: [String]) throws {
        directory = try TemporaryDirectory()
        for user in users {
            try add(user)
            descriptors.append(try Self.socket(at: bus(user)))
        }
    }

    deinit { for descriptor in descriptors { close(descriptor) } }

    /// The path of a user's bus.
    func bus(_ user: String) -> String { "\(path)/\(user)/bus" }

    /// Makes a user's directory, without a bus.
    func add(_ user: String) throws {
        try FileManager.default.createDirectory(atPath: "\(path)/\(user)", withIntermediateDirectories: true)
    }

    private static func socket(at path: String) throws -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { throw Failure(code: ENAMETOOLONG) }
        let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw Failure(code: errno) }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
        }
        guard result == 0 else {
            defer { close(descriptor) }
            throw Failure(code: errno)
        }
        return descriptor
    }
}
