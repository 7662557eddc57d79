import AgentTestKit
import Foundation

/// A running `web-server.py`, which does what it is told.
final class WebServer: Sendable {
    private let input = Pipe()
    private let lines: CommandLines

    /// Starts it with a shell command; it listens when this returns.
    init(_ command: String) async throws {
        lines = try CommandLines(command, input: input)
        try await lines.next(containing: "ready")
    }

    deinit { try? input.fileHandleForWriting.close() }

    /// Tells it what to be from now on; it is when this returns.
    func be(_ order: String) async throws {
        try input.fileHandleForWriting.write(contentsOf: Data("\(order)\n".utf8))
        try await lines.next(containing: "done \(order)")
    }

    /// Waits until it was asked something that contains `text`, as `https /`, `times` times from now on.
    func isAsked(_ text: String, times: Int = 1) async throws {
        for _ in 0..<times { try await lines.next(containing: text) }
    }
}
