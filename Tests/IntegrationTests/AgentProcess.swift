import AgentEvents
import AgentTestKit
import Foundation
import Synchronization

/// The built agent, running in a namespace, with its standard output read as events.
final class AgentProcess: Sendable {
    /// A test whose event does not come within this time has failed; nothing waits for it to pass.
    private static let patience: Duration = .seconds(30)

    private let process: Process
    private let lines: AsyncStream<String>
    private let seen = Mutex<[SeenEvent]>([])
    private let iterator: Mutex<AsyncStream<String>.Iterator>

    var processIdentifier: Int32 { process.processIdentifier }

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
        process = namespace.process(BuiltAgent.path, arguments)
        let output = Pipe()
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        let (lines, continuation) = AsyncStream<String>.makeStream()
        self.lines = lines
        iterator = Mutex(lines.makeAsyncIterator())
        try process.run()
        let descriptor = output.fileHandleForReading
        Thread.detachNewThread {
            var rest = Data()
            while true {
                let data = descriptor.availableData
                if data.isEmpty { break }
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
        if process.isRunning { process.terminate() }
    }

    func signal(_ number: Int32) { kill(process.processIdentifier, number) }

    /// Waits for the next event, whatever it is; `nil` at the end of the output.
    func nextEvent() async throws -> SeenEvent? {
        // A watchdog that ends the process ends the stream too: no test waits for ever.
        let watchdog = DispatchWorkItem { [process] in kill(process.processIdentifier, SIGKILL) }
        let (seconds, _) = Self.patience.components
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(Int(seconds)), execute: watchdog)
        defer { watchdog.cancel() }
        var iterator = self.iterator.withLock { $0 }
        guard let line = await iterator.next() else { return nil }
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

    /// Ends the agent as systemd does, and gives every event that came since, with its exit status.
    func stop(_ number: Int32 = SIGTERM) async throws -> (events: [SeenEvent], status: Int32) {
        signal(number)
        var events: [SeenEvent] = []
        while let event = try await nextEvent() { events.append(event) }
        process.waitUntilExit()
        return (events, process.terminationStatus)
    }
}

/// The output ended, or the patience, before an expected event came.
struct MissingEvent: Error, CustomStringConvertible {
    let name: String
    let subject: String
    let seen: [String]

    var description: String { "no \(name) about \(subject) came; seen were:\n  \(seen.joined(separator: "\n  "))" }
}
