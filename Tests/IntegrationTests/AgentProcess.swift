import AgentEvents
import AgentTestKit
import Foundation
import Synchronization

/// The built agent, running in a namespace, with its standard output read as events.
final class AgentProcess: Sendable {
    private let output: CommandLines
    private let seen = Mutex<[SeenEvent]>([])

    var processIdentifier: Int32 { output.processIdentifier }

    /// Starts `reachagent run` with more arguments, with neither journal nor sockets, and waits for its first view.
    static func run(in namespace: NetworkNamespace, _ arguments: String...) async throws -> AgentProcess {
        let agent = try AgentProcess(in: namespace, ["run", "--no-journal", "--no-sockets"] + arguments)
        _ = try await agent.next("reachability.changed", about: "default")
        return agent
    }

    /// Starts the agent with exactly these arguments, and waits for its first view.
    static func start(in namespace: NetworkNamespace, _ arguments: [String]) async throws -> AgentProcess {
        let agent = try AgentProcess(in: namespace, arguments)
        _ = try await agent.next("reachability.changed", about: "default")
        return agent
    }

    private init(in namespace: NetworkNamespace, _ arguments: [String]) throws {
        output = try CommandLines(namespace.command(BuiltAgent.path, arguments))
    }

    func signal(_ number: Int32) { output.signal(number) }

    /// Waits for the next event, whatever it is; `nil` at the end of the output, or, with an issue, when none came for
    /// too long.
    func nextEvent() async throws -> SeenEvent? {
        guard let line = await output.next() else { return nil }
        let event = try SeenEvent(line)
        seen.withLock { $0.append(event) }
        return event
    }

    /// Waits for the next event of a type and subject that fits, and skips everything before it.
    @discardableResult
    func next(
        _ name: String,
        about subject: String = "default",
        where fits: (SeenEvent) -> Bool = { _ in true }
    ) async throws -> SeenEvent {
        while let event = try await nextEvent() {
            if event.name == name, event.subject == subject, fits(event) { return event }
        }
        throw MissingEvent(name: name, subject: subject, seen: seen.withLock { $0.map(\.summary) })
    }

    /// Every event that was seen so far, the skipped ones included.
    var events: [SeenEvent] { seen.withLock { $0 } }

    /// Waits until the machine is settled in a state.
    @discardableResult
    func settles(on via: String) async throws -> SeenEvent {
        try await next("reachability.changed") { $0.to?.via.rawValue == via }
    }

    /// Ends the agent as systemd does, and gives every event that came since, with its exit status or the number of the
    /// signal that ended it.
    func stop(_ number: Int32 = SIGTERM) async throws -> (events: [SeenEvent], status: Int32) {
        signal(number)
        var events: [SeenEvent] = []
        while let event = try await nextEvent() { events.append(event) }
        return (events, abs(await output.status()))
    }
}

/// The output ended, or the patience, before an expected event came.
struct MissingEvent: Error, CustomStringConvertible {
    let name: String
    let subject: String
    let seen: [String]

    var description: String { "no \(name) about \(subject) came; seen were:\n  \(seen.joined(separator: "\n  "))" }
}
