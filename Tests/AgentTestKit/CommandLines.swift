package import Foundation
import Glibc

/// A shell script that runs on: what it prints, line by line.
package final class CommandLines: Sendable, LineSource {
    /// A test whose line does not come within this time has failed; nothing waits for it to pass.
    private static let patience: DispatchTimeInterval = .seconds(30)

    private let process: Process
    private let lines: AsyncStream<String>

    /// The script's own id, and that of the program which it has become by `exec`.
    package var processIdentifier: Int32 { process.processIdentifier }

    /// Starts `sh -c` with the script; what it writes to standard error belongs to the test's own.
    ///
    /// - Parameter input: What its commands read; nothing when it is `nil`.
    package init(_ script: String, input: Pipe? = nil) throws {
        process = Process()
        // Foundation makes it the leader of a group, so that the end of the script is the end of all its commands.
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", script]
        let output = Pipe()
        process.standardOutput = output
        if let input { process.standardInput = input } else { process.standardInput = FileHandle.nullDevice }
        let (lines, continuation) = AsyncStream<String>.makeStream()
        self.lines = lines
        try process.run()
        Warden.shared?.watch(process.processIdentifier)
        let input = output.fileHandleForReading
        Thread.detachNewThread {
            var rest = Data()
            while case let data = input.availableData, !data.isEmpty {
                rest.append(data)
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    continuation.yield(String(decoding: rest[rest.startIndex..<end], as: UTF8.self))
                    rest = Data(rest[rest.index(after: end)...])
                }
            }
            continuation.finish()
        }
    }

    deinit {
        end()
        Warden.shared?.release(process.processIdentifier)
    }

    /// Sends a signal to the script and its commands.
    package func signal(_ number: Int32) { kill(-process.processIdentifier, number) }

    /// Ends the script and its commands.
    package func end() { signal(SIGKILL) }

    /// The next line; `nil` at the end, or when nothing came for too long.
    package func next() async -> String? {
        let process = process.processIdentifier
        let watchdog = DispatchWorkItem { kill(-process, SIGKILL) }
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.patience, execute: watchdog)
        defer { watchdog.cancel() }
        var iterator = lines.makeAsyncIterator()
        return await iterator.next()
    }

    /// The exit status, after ``rest()``.
    package func status() async -> Int32 {
        await onThread {
            process.waitUntilExit()
            return process.terminationStatus
        }
    }
}
