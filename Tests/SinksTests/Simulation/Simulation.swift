import AgentEvents
import AgentTestKit
import Sinks

/// A device, its sink and a broker, to which a seed brings trouble.
struct Simulation {
    /// The kinds of trouble; kills of both ends and lost connections come always.
    struct Trouble: OptionSet {
        let rawValue: Int
        static let purge = Trouble(rawValue: 1)
        static let wipe = Trouble(rawValue: 2)
        static let restore = Trouble(rawValue: 4)
        static let cursor = Trouble(rawValue: 8)
        static let clock = Trouble(rawValue: 16)
        static let expiry = Trouble(rawValue: 32)
        /// A cluster that drops some of what is in flight, and takes what comes after it.
        static let leader = Trouble(rawValue: 64)
        /// A stream that is full for some events and not for others.
        static let full = Trouble(rawValue: 128)
        /// Events that are too large.
        static let large = Trouble(rawValue: 256)
        /// A server that loses what it had not flushed.
        static let power = Trouble(rawValue: 512)
        /// Only some types are shipped.
        static let filter = Trouble(rawValue: 1024)
        /// Kills and lost connections also where a broker skips events, once the answers to all that it got have arrived.
        static let kill = Trouble(rawValue: 2048)
    }

    var random: SplitMix
    let trouble: Trouble
    let settings: SinkSettings

    var journal = SimulatedJournal(stream: "a")
    var broker = SimulatedBroker()
    var engine: ShippingEngine
    var savedCursor: SinkCursor?
    var subscribed: (after: UInt64, isOpen: Bool)?
    var pending: [ShippingEngine.Input] = []
    var isConnecting = false

    var elapsed: Duration = .zero
    var wall: Int64 = 1_700_000_000_000_000
    var published = 0
    var streams = 0
    var snapshot: (journal: SimulatedJournal, cursor: SinkCursor?)?
    /// The identities of the events that were reported as lost, or that no broker ever takes.
    var lost: Set<Int> = []
    /// The identities of all events that ever were in the journal, by stream and number.
    var identities: [String: Int] = [:]
    /// The events whose device lost them itself: in a wiped journal, or behind a restored snapshot.
    var gone: Set<Int> = []
    var highestInFlight = 0

    private let start = ContinuousClock.now

    init(seed: UInt64, _ trouble: Trouble, mqtt: Bool = false) throws {
        random = SplitMix(state: seed)
        self.trouble = trouble
        var settings = SinkSettings(
            name: "sim",
            broker: try BrokerAddress(mqtt ? "mqtt://broker" : "nats://broker"),
            device: "edge"
        )
        settings.window = 1 + Int(random.next() % 40)
        if trouble.contains(.filter) { settings.types = ["path.*"] }
        self.settings = settings
        broker.canBeAsked = !mqtt
        engine = try ShippingEngine(settings, cursor: nil, seed: seed, at: .init(instant: start, time: .now))
        // Nothing may depend on the server's memory of ids if that is short.
        if !trouble.contains(.leader), !trouble.contains(.full), chance(2) { broker.window = .zero }
    }

    /// `true` when a cluster or a full stream may skip events, which only the answers show.
    var isDelicate: Bool { !trouble.isDisjoint(with: [.leader, .full]) }

    var now: ShippingEngine.Moment {
        .init(instant: start + elapsed, time: Timestamp(microsecondsSince1970: wall))
    }

    mutating func chance(_ count: Int) -> Bool { Int(random.next() % UInt64(count)) == 0 }
    mutating func number(_ range: ClosedRange<Int>) -> Int {
        range.lowerBound + Int(random.next() % UInt64(range.count))
    }

    mutating func pass(_ time: Duration) {
        elapsed += time
        wall += time.components.seconds * 1_000_000 + time.components.attoseconds / 1_000_000_000_000
    }

    // MARK: - The device

    mutating func publish(shipped: Bool = false) {
        // Slow enough elsewhere for the sink to lose its patience with what is in flight.
        pass(.microseconds(number(1...(isDelicate ? 20_000 : 2_000_000))))
        published += 1
        let type = !shipped && trouble.contains(.filter) && chance(3) ? "agent.started" : "path.changed"
        journal.append(identity: published, type: type, at: now.time)
        identities["\(journal.stream)-\(journal.newest)"] = published
        if type != "path.changed" { lost.insert(published) }
    }

    mutating func feed(_ input: ShippingEngine.Input) throws {
        for effect in engine.handle(input, at: now) { try carryOut(effect) }
    }

    private mutating func carryOut(_ effect: ShippingEngine.Effect) throws {
        switch effect {
        case .connect: isConnecting = true
        case .disconnect:
            isConnecting = false
            broker.disconnect(keepingInbox: broker.window > .zero && broker.canBeAsked && !trouble.contains(.leader))
        case .subscribe(let stream, let sequence): subscribe(stream, after: sequence)
        case .unsubscribe: (subscribed, pending) = (nil, [])
        case .publish(let message):
            guard broker.isConnected else { break }
            broker.inbox.append(message)
            highestInFlight = max(highestInFlight, broker.inbox.count)
        case .publishState, .publishPresence, .warn: break
        case .save(let cursor): savedCursor = try Self.copied(cursor)
        case .lost(let range, _):
            for sequence in range {
                if let identity = identities["\(journal.stream)-\(sequence)"] { lost.insert(identity) }
            }
        case .report: _ = engine.takeReport(bytes: 0)
        }
    }

    /// The cursor as its file has it.
    private static func copied(_ cursor: SinkCursor) throws -> SinkCursor {
        try EventDecoder.decode(SinkCursor.self, from: EventEncoder.encode(cursor))
    }

    private mutating func subscribe(_ stream: String?, after sequence: UInt64) {
        pending = []
        subscribed = nil
        guard stream == nil || stream == journal.stream, sequence <= journal.newest else {
            pending = [.journal(.restarted(stream: journal.stream))]
            return
        }
        subscribed = (sequence, true)
        pending = [.journal(.opened(stream: journal.stream, newest: journal.newest))]
    }

    /// The subscription brings what it has, as far as it is welcome.
    mutating func read(_ count: Int) throws {
        while !pending.isEmpty { try feed(pending.removeFirst()) }
        for _ in 0..<count {
            guard engine.wantsEvents, let (after, isOpen) = subscribed, isOpen, let next = journal.event(after: after)
            else { return }
            subscribed?.after = next.sequence
            try feed(.journal(.event(next.event)))
            while !pending.isEmpty { try feed(pending.removeFirst()) }
        }
    }

    /// The agent starts anew, and with it the subscription.
    mutating func agentRestarted() throws {
        guard let (after, _) = subscribed else { return }
        if chance(2) {
            subscribed?.isOpen = false
            try feed(.journal(.closed))
        } else {
            subscribe(journal.stream, after: after)
        }
    }

    mutating func killSink() throws {
        broker.disconnect(keepingInbox: broker.window > .zero && broker.canBeAsked)
        (isConnecting, subscribed, pending) = (false, nil, [])
        engine = try ShippingEngine(settings, cursor: savedCursor, seed: random.next(), at: now)
    }

    mutating func wipeJournal() throws {
        for event in journal.events { gone.insert(event.identity) }
        streams += 1
        journal = SimulatedJournal(stream: "b\(streams)")
        if subscribed != nil {
            subscribed = nil
            try feed(.journal(.restarted(stream: journal.stream)))
        }
    }

    mutating func restoreSnapshot() throws {
        guard let (journal, cursor) = snapshot else {
            snapshot = (self.journal, savedCursor)
            return
        }
        for event in self.journal.events where event.sequence > journal.newest { gone.insert(event.identity) }
        self.journal = journal
        savedCursor = cursor
        snapshot = nil
        pass(.seconds(1))
        try killSink()
    }

    // MARK: - The broker

    /// Returns `true` for an event that the broker never takes.
    var isTooLarge: @Sendable (Int) -> Bool {
        let isPossible = trouble.contains(.large)
        return { isPossible && $0 % 17 == 0 }
    }

    mutating func answerConnect() throws {
        guard isConnecting else { return }
        isConnecting = false
        guard broker.isUp else {
            return try feed(.transport(.disconnected(.init(code: "broker_unreachable", detail: "no answer"))))
        }
        broker.isConnected = true
        try feed(.transport(.connected(newest: broker.newest)))
    }

    mutating func process(_ count: Int) throws {
        let isTooLarge = isTooLarge
        func size(_ message: SinkMessage) -> TransportFailure? {
            guard isTooLarge(SimulatedBroker.identity(of: message)) else { return nil }
            return .init(code: "broker_too_large", detail: "too large")
        }
        for _ in 0..<count where broker.isConnected {
            let full =
                trouble.contains(.full) && chance(12) ? TransportFailure(code: "broker_denied", detail: "full") : nil
            broker.process(at: elapsed) { size($0) ?? full }
        }
        for _ in 0..<count { broker.processLeftover(at: elapsed, refusing: size) }
    }

    mutating func deliverAnswers(_ count: Int) throws {
        for _ in 0..<count where broker.isConnected && !broker.answers.isEmpty {
            try feed(.transport(broker.answers.removeFirst()))
        }
    }

    mutating func dropConnection() throws {
        guard broker.isConnected || isConnecting else { return }
        isConnecting = false
        broker.disconnect(keepingInbox: false)
        try feed(.transport(.disconnected(.init(code: "broker_timeout", detail: "no answer"))))
    }

    /// Some of what is in flight meets no leader; what comes after it is taken.
    mutating func changeLeader() {
        var taken: [SinkMessage] = []
        for message in broker.inbox where !chance(3) { taken.append(message) }
        broker.inbox = taken
    }

    mutating func losePower() {
        broker.kill()
        // An empty stream could as well have been purged.
        broker.forget(min(number(0...5), max(0, broker.stored.count - 1)))
    }
}
