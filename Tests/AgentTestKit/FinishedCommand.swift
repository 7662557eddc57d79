import Foundation
import Glibc

/// A command that ran to its end, and its output.
package struct FinishedCommand: Sendable {
    /// The reason that a command could not be run.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// The exit status, or 128 and the signal that ended it.
    package let status: Int32
    /// The text written to standard output.
    package let output: String
    /// The text written to standard error.
    package let error: String

    /// Runs a program to its end; one that takes longer than `patience` seconds is killed.
    package static func run(
        _ arguments: [String],
        of path: String = BuiltAgent.path,
        input: String = "",
        environment: [String: String] = [:],
        patience: UInt32 = 60
    ) async throws -> FinishedCommand {
        try await onThread {
            try FinishedCommand(arguments, of: path, input: input, environment: environment, patience: patience)
        }
    }

    /// Runs a program to its end likewise, on a thread that may be blocked.
    package init(
        _ arguments: [String],
        of path: String,
        input: String = "",
        environment: [String: String] = [:],
        patience: UInt32 = 60
    ) throws {
        // Everything goes through files that are unlinked at once, so that no pipe can fill up.
        let descriptors = try (0..<3).map { _ in try Self.unnamedFile() }
        defer { for descriptor in descriptors { close(descriptor) } }
        let bytes = Array(input.utf8)
        guard write(descriptors[0], bytes, bytes.count) == bytes.count, lseek(descriptors[0], 0, SEEK_SET) == 0 else {
            throw Failure(description: "cannot write the input: \(String(cString: strerror(errno)))")
        }
        // A sanitizer's options concern the programs as well.
        var own = ProcessInfo.processInfo.environment.filter { $0.key.hasSuffix("SAN_OPTIONS") }
        own["TMPDIR"] = try TemporaryDirectory.ofAllTests
        let variables =
            own.merging(environment) { $1 }.map { "\($0)=\($1)" } + ["PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8"]
        let program = try SpawnedProgram(path, arguments, environment: variables, descriptors: descriptors)
        Warden.shared?.watch(program.processIdentifier)
        let watchdog = Watchdog(of: program.processIdentifier, after: .seconds(Int(patience)))
        program.awaitEnd()
        let threads = watchdog.stop()
        Warden.shared?.release(program.processIdentifier)
        let ending = program.wait()
        status = ending < 0 ? 128 - ending : ending
        output = Self.contents(descriptors[1])
        let note = threads.map { "killed after \(patience) s; its threads were:\n\($0)" } ?? ""
        error = Self.contents(descriptors[2]) + note
    }

    /// The lines of the output.
    package var lines: [String] { output.split(separator: "\n").map(String.init) }

    private static func unnamedFile() throws -> Int32 {
        var template = Array("\(try TemporaryDirectory.ofAllTests)/XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else {
            throw Failure(description: "cannot make a file: \(String(cString: strerror(errno)))")
        }
        unlink(template)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        return descriptor
    }

    private static func contents(_ descriptor: Int32) -> String {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while case let count = pread(descriptor, &chunk, chunk.count, bytes.count), count > 0 {
            bytes += chunk[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
