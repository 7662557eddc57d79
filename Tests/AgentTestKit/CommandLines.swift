package import Foundation
import Glibc

/// A shell script that runs on: what it prints, line by line.
package final class CommandLines: Sendable, LineSource {
    private let script: String
    private let program: SpawnedProgram
    private let lines: AsyncStream<String>

    /// The script's own id, and that of the program which it has become by `exec`.
    package var processIdentifier: Int32 { program.processIdentifier }

    /// Starts `sh -c` with the script; what it writes to standard error belongs to the test's own.
    ///
    /// - Parameter input: What its commands read; nothing when it is `nil`.
    package init(_ script: String, input: Pipe? = nil) throws {
        self.script = script
        let output = Pipe()
        let source = try input?.fileHandleForReading ?? FileHandle(forReadingFrom: URL(filePath: "/dev/null"))
        program = try SpawnedProgram(
            "/bin/sh",
            ["-c", script],
            descriptors: [source.fileDescriptor, output.fileHandleForWriting.fileDescriptor, STDERR_FILENO]
        )
        // While this process has those ends too, the one at the other end would not see that the script is gone.
        try source.close()
        try output.fileHandleForWriting.close()
        let (lines, continuation) = AsyncStream<String>.makeStream()
        self.lines = lines
        Warden.shared?.watch(program.processIdentifier)
        let reading = output.fileHandleForReading
        Thread.detachNewThread { [program] in
            var rest = Data()
            while case let data = reading.availableData, !data.isEmpty {
                rest.append(data)
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    continuation.yield(String(decoding: rest[rest.startIndex..<end], as: UTF8.self))
                    rest = Data(rest[rest.index(after: end)...])
                }
            }
            continuation.finish()
            // Until all that hold its output have ended, the script is at most a zombie.
            program.wait()
        }
    }

    deinit {
        end()
        Warden.shared?.release(processIdentifier)
    }

    /// Sends a signal to the script and its commands.
    package func signal(_ number: Int32) {
        // No process gets the id of a group that has members: where one has it, the group is another program's.
        guard !program.isReaped || kill(processIdentifier, 0) != 0 else { return }
        kill(-processIdentifier, number)
    }

    /// Stops the script and its commands until ``resume()``, and returns when its own process has stopped.
    package func suspend() {
        signal(SIGSTOP)
        // The signal is under way for a while.
        var arrival = siginfo_t()
        while waitid(P_PID, id_t(processIdentifier), &arrival, WSTOPPED | WEXITED | WNOWAIT) != 0, errno == EINTR {}
    }

    /// Lets them go on after ``suspend()``.
    package func resume() { signal(SIGCONT) }

    /// Ends the script and its commands.
    package func end() { signal(SIGKILL) }

    /// The next line; `nil` at the end, or, with an issue, when nothing came for too long.
    package func next() async -> String? {
        let process = processIdentifier
        return await LinePatience.line(from: script, end: { kill(-process, SIGKILL) }) {
            var iterator = lines.makeAsyncIterator()
            return await iterator.next()
        }
    }

    /// The exit status, or the negative number of the signal that ended the script; after ``rest()``.
    package func status() async -> Int32 { await onThread { program.wait() } }
}
