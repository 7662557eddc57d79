import AgentEvents
import AgentTestKit
import Foundation

/// An ip(8) that stays there, so that one change of a route follows another as soon as the agent has told of it.
///
/// Changes that follow each other faster are one to the agent, which looks at what has become of all that it read.
final class RouteWriter: Sendable {
    private let input = Pipe()
    private let program: CommandLines

    init(in lab: HookLab) throws {
        program = try CommandLines(lab.namespace.command("ip", ["-force", "-batch", "-"]), input: input)
    }

    deinit { try? input.fileHandleForWriting.close() }

    /// Gives the wired default route another gateway so many times, and waits for the event of each.
    ///
    /// - Parameter last: The last gateway's number, other than 10 and 11.
    /// - Returns: The events.
    func change(_ agent: HookAgent, times: Int, last: Int = 99) async throws -> [SeenEvent] {
        var events: [SeenEvent] = []
        for number in 1...times {
            let gateway = "192.0.2.\(number == times ? last : 10 + number % 2)"
            try input.fileHandleForWriting.write(
                contentsOf: Data("route replace default via \(gateway) dev eth0\n".utf8)
            )
            events.append(try await agent.next("path.changed", gateway) { $0.to?.path.gateway == gateway })
        }
        return events
    }
}
