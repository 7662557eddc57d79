import AgentEvents
import AgentTestKit
import Dispatch
import Foundation
import NotificationBus
import StateSocket
import Synchronization

/// A bus, an agent and a server in a directory of its own.
final class ServedStream: Sendable {
    private let temporary: TemporaryDirectory
    let bus: NotificationBus<Event>
    let agent: ScriptedAgent
    let server: StateServer

    var directory: String { temporary.path }
    var events: String { "\(directory)/events.sock" }
    var control: String { "\(directory)/control.sock" }
    var http: String { "\(directory)/http.sock" }

    init(
        firstSequence: UInt64 = 1,
        replay: MemoryJournal? = nil,
        adopting: ActivatedSockets = ActivatedSockets(),
        accepting: Bool = true,
        _ configure: (inout StateSocketConfiguration) -> Void = { _ in },
        portReport: @escaping @Sendable (HTTPPort, StateSocketError?) -> Void = { _, _ in }
    ) throws {
        temporary = try TemporaryDirectory()
        bus = NotificationBus<Event>(firstSequence: firstSequence)
        agent = ScriptedAgent(bus)
        var configuration = StateSocketConfiguration(directory: temporary.path)
        configure(&configuration)
        server = StateServer(
            configuration: configuration,
            bus: bus,
            replay: replay,
            agent: agent,
            adopting: adopting,
            portReport: portReport
        )
        try server.start(accepting: accepting)
    }

    @discardableResult
    func publish(_ type: EventType = .pathChanged, subject: String = "default", padding: Int = 0) -> Event? {
        bus.publish { self.agent.event(type, subject: subject, padding: padding, number: $0) }?.content
    }

    /// Ends the bus and the server.
    func stop() {
        bus.finish()
        server.stop(within: .seconds(10))
    }

    /// Holds the event loop of the sockets in the answer to a `status` request.
    ///
    /// - Returns: the client of the request, once the loop is held, and the semaphore that lets the loop go on.
    func holdEventLoop() throws -> (client: Client, isReleased: DispatchSemaphore) {
        let (isHeld, isReleased) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        agent.whenAskedForStatus.withLock {
            $0 = { _ in
                isHeld.signal()
                isReleased.wait()
            }
        }
        let client = try Client(control)
        try client.send(#"{"method":"status"}"# + "\n")
        isHeld.wait()
        return (client, isReleased)
    }

    /// Waits until the server has so many connections; `false` after a long time.
    func waitForConnections(_ count: Int) -> Bool { waits { server.connectionCount == count } }

    /// Waits until the agent was asked so often; `false` after a long time.
    func waitForCalls(_ count: Int) -> Bool { waits { agent.calls.withLock { $0.count } >= count } }

    /// The server tells nobody of what it does inside: it is looked at again and again.
    private func waits(until isTrue: () -> Bool) -> Bool {
        for _ in 0..<2000 {
            if isTrue() { return true }
            usleep(5000)
        }
        return false
    }

    /// Runs something that blocks, and ends the server.
    static func run<Result: Sendable>(
        firstSequence: UInt64 = 1,
        replay: MemoryJournal? = nil,
        configure: @escaping @Sendable (inout StateSocketConfiguration) -> Void = { _ in },
        _ body: @escaping @Sendable (ServedStream) throws -> Result
    ) async throws -> Result {
        try await onThread {
            let stream = try ServedStream(firstSequence: firstSequence, replay: replay, configure)
            defer { stream.stop() }
            return try body(stream)
        }
    }
}
