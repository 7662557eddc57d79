internal import AgentEvents
internal import EventLoopExecutor
internal import NIOCore
internal import NotificationBus

/// The intake of the ring: takes the events that the bus has released, in parts that streams can follow.
///
/// When the time before the next poll is used up, the rest follows after it; and while a stream is behind, the next part
/// of a batch follows once it has caught up, or after ``partTime``, so that no batch cuts off a client that reads as fast
/// as it can. Used only on the event loop.
final class EventIntake {
    private(set) var ring: EventRing
    /// `true` while the bus has released events that are not in the ring yet.
    private(set) var isBehind = false
    /// `true` once the bus has ended, and the ring has its last event.
    private(set) var isFinished = false
    /// `true` while each event is taken at once, because a stream waits for it.
    var isAttentive = false {
        didSet { if isAttentive != oldValue { subscription?.setWakeThreshold(wakeThreshold) } }
    }

    /// Called after each part.
    var whenTaken: () -> Void = {}
    /// Called when nothing is left to take for now.
    var whenCaughtUp: () -> Void = {}
    /// Called at the end of the bus.
    var whenFinished: () -> Void = {}
    /// Returns a stream that has not written all of the ring.
    var findLaggard: () -> EventStream? = { nil }

    /// The number of events that wake the event loop while no stream waits for any.
    private static let idleEvents = 64
    /// More events than a recorder that hangs can hold up (one batch of 8,192 that it writes, and one that waits): they are
    /// released faster than the event loop takes them.
    private static let capacity = 32_768
    /// The time that streams have for one part of a batch before the next one follows anyway.
    ///
    /// A client must get processor time to read at all, which no number of polls gives it: 64 parts replace the ring.
    private static let partTime: TimeAmount = .milliseconds(2)

    private let configuration: StateSocketConfiguration
    private let bus: NotificationBus<Event>
    private let gate: LoopGate
    private let turns: Turns
    private var subscription: Subscription<Event>?
    /// The events of the last batch that are not in the ring yet.
    private var untaken: ArraySlice<Event> = []
    private var isDraining = false
    /// The time of the next part, unless all streams have written this one before.
    private var nextPart: NIODeadline?
    /// A stream that was behind when it was last asked: as long as it is, the others need not be.
    private weak var laggard: EventStream?

    /// Creates an empty ring, without a subscription.
    init(_ bus: NotificationBus<Event>, on gate: LoopGate, in turns: Turns, configuration: StateSocketConfiguration) {
        self.bus = bus
        self.gate = gate
        self.turns = turns
        self.configuration = configuration
        ring = EventRing(next: 1, maximumBytes: configuration.ringBytes, maximumEvents: configuration.ringEvents)
    }

    /// The number of the newest event that the bus has released, in the ring or not.
    var newestReleased: UInt64 { max(bus.lastReleased, ring.newest) }

    /// Returns whether the ring has got an event, or never will, because the bus has ended.
    func hasTaken(_ sequence: UInt64) -> Bool { sequence < ring.next || isFinished }

    /// Subscribes to the bus, and takes what it has released.
    func start() {
        subscribe()
        drain()
    }

    private var wakeThreshold: Int { isAttentive ? 1 : Self.idleEvents }

    private func subscribe() {
        let intake = NIOLoopBound(self, eventLoop: gate.eventLoop)
        let gate = gate
        let subscription = bus.subscribe(capacity: max(Self.capacity, configuration.ringEvents)) {
            gate.execute { intake.value.drain() }
        }
        self.subscription = subscription
        subscription.setWakeThreshold(wakeThreshold)
        let released = bus.lastReleased
        let batch = subscription.take()
        // Events released between the two calls are in the batch; without a batch there were none.
        let next: UInt64
        if case .notifications(let events) = batch, let first = events.first {
            next = first.sequence
        } else {
            next = released + 1
        }
        if next != ring.next {
            ring = EventRing(next: next, maximumBytes: configuration.ringBytes, maximumEvents: configuration.ringEvents)
        }
        _ = receive(batch)
    }

    /// Takes the events released by the bus: as many as there is time for, and as the streams can follow.
    ///
    /// - Parameter completely: `true` to take everything now, because the agent stops.
    func drain(completely: Bool = false) {
        guard !isDraining, completely || !awaitsStreams() else { return }
        isDraining = true
        isBehind = true
        nextPart = nil
        turns.spend {
            while completely || turns.hasTime {
                if untaken.isEmpty, !receiveMore() {
                    isBehind = false
                    break
                }
                ring.append(&untaken)
                whenTaken()
                if !completely, !untaken.isEmpty, hasLaggard() {
                    nextPart = .now() + Self.partTime
                    break
                }
            }
            if !isBehind { whenCaughtUp() }
        }
        isDraining = false
        if let nextPart {
            let intake = NIOLoopBound(self, eventLoop: gate.eventLoop)
            gate.eventLoop.scheduleTask(deadline: nextPart) { intake.value.drain() }
        } else if isBehind {
            turns.awaitPoll()
        }
    }

    /// Returns whether a stream still writes a part of a batch, and the next one is not due.
    private func awaitsStreams() -> Bool {
        guard let nextPart, NIODeadline.now() < nextPart else { return false }
        return hasLaggard()
    }

    private func hasLaggard() -> Bool {
        if laggard?.isBehind != true { laggard = findLaggard() }
        return laggard != nil
    }

    /// Takes the next batch of the bus; returns `false` if there is none.
    private func receiveMore() -> Bool {
        guard let subscription else { return false }
        return receive(subscription.take())
    }

    private func receive(_ batch: Subscription<Event>.Batch) -> Bool {
        switch batch {
        case .notifications(let batch):
            ring.expect(batch.first?.sequence ?? ring.next)
            untaken = batch.map(\.content)[...]
        case .lagged:
            subscribe()
            whenTaken()
        case .empty: break
        case .finished:
            guard !isFinished else { return false }
            isFinished = true
            whenTaken()
            whenFinished()
        }
        return !untaken.isEmpty
    }
}
