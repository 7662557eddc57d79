import AgentEvents
import Sinks

/// An engine with a clock, for tests that look at single effects.
struct EngineDriver {
    var engine: ShippingEngine
    var now: ShippingEngine.Moment
    var journal = SimulatedJournal(stream: "s")

    /// The start of all runs: 2023-11-14 22:13:20 UTC.
    static let start = Timestamp(microsecondsSince1970: 1_700_000_000_000_000)

    init(
        _ address: String = "nats://b",
        cursor: SinkCursor? = nil,
        seed: UInt64 = 1,
        _ change: (inout SinkSettings) -> Void = { _ in }
    ) throws {
        var settings = SinkSettings(name: "test", broker: try BrokerAddress(address), device: "edge")
        change(&settings)
        now = .init(instant: .now, time: Self.start)
        engine = try ShippingEngine(settings, cursor: cursor, seed: seed, at: now)
    }

    mutating func pass(_ time: Duration) {
        now.instant += time
        now.time = Timestamp(
            microsecondsSince1970: now.time.microsecondsSince1970 + time.components.seconds * 1_000_000
                + time.components.attoseconds / 1_000_000_000_000
        )
    }

    @discardableResult
    mutating func feed(_ input: ShippingEngine.Input) -> [ShippingEngine.Effect] { engine.handle(input, at: now) }

    /// The effects when the engine's deadline is over.
    mutating func tickAtDeadline() -> [ShippingEngine.Effect] {
        if let deadline = engine.deadline, deadline > now.instant { pass(deadline - now.instant) }
        return feed(.tick)
    }

    /// Lets time pass until the engine connects.
    mutating func connect(newest: StoredPosition? = nil) -> [ShippingEngine.Effect] {
        for _ in 0..<20 where engine.status.state != .connecting { _ = tickAtDeadline() }
        return feed(.transport(.connected(newest: newest)))
    }

    mutating func machine(_ connectivity: Connectivity, _ via: Via, _ interface: String) -> [ShippingEngine.Effect] {
        feed(.machine(MachineState(connectivity: connectivity, via: via, interface: interface)))
    }

    /// An event of the journal, made now.
    mutating func publish(_ type: String = "path.changed") -> [ShippingEngine.Effect] {
        pass(.milliseconds(1))
        journal.append(identity: Int(journal.newest) + 1, type: type, at: now.time)
        guard let event = journal.events.last?.event else { return [] }
        return feed(.journal(.event(event)))
    }

    /// Connects to a broker without anything stored, and opens the journal.
    mutating func begin() {
        _ = connect()
        feed(.journal(.opened(stream: "s", newest: 0)))
    }
}

extension [ShippingEngine.Effect] {
    /// The numbers of the events that are published.
    var published: [UInt64] {
        compactMap { if case .publish(let message) = $0 { message.sequence } else { nil } }
    }

    var cursor: SinkCursor? {
        compactMap { if case .save(let cursor) = $0 { cursor } else { nil } }.last
    }
}

extension TransportFailure {
    static let denied = TransportFailure(code: "broker_denied", detail: "no permission")
    static let unreachable = TransportFailure(code: "broker_unreachable", detail: "connection refused")
}
