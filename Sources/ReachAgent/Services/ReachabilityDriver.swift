internal import EventEnvelope
internal import EventSchema
internal import Logging
internal import NetlinkMonitor
internal import NotificationBus
internal import Reachability
internal import Synchronization

/// Feeds the pure state machine with the kernel's view and with time, and publishes what comes out of it.
///
/// Everything happens under one lock, on the thread that brings the news: the order of the numbers is the order of the
/// transitions, and no hop between threads lies between a message of the kernel's and the bus.
final class ReachabilityDriver: Sendable {
    private struct State {
        var machine: ReachabilityMachine
        var texts = StateTexts()
        var isStarted = false
        /// What was announced before the agent's first event.
        var announced: [EventDraft] = []
        var isCorrection = false
        /// The moment that the caller of ``tick()`` waits for.
        var awaited: ContinuousClock.Instant?
    }

    let origin: EventOrigin
    private let bus: NotificationBus<Event>
    private let board: StatusBoard
    private let settle: SettlePolicy
    private let targets: [Target]
    private let logger = AgentLogger.make()
    private let whenEarlier: @Sendable () -> Void
    private let state: Mutex<State>

    /// A driver that publishes on a bus, and keeps a board of what it has published.
    ///
    /// - Parameter whenEarlier: Called when ``tick()`` has to be called earlier than it said.
    init(
        bus: NotificationBus<Event>,
        board: StatusBoard,
        origin: EventOrigin,
        settle: SettlePolicy,
        targets: [Target],
        whenEarlier: @escaping @Sendable () -> Void
    ) {
        self.bus = bus
        self.board = board
        self.origin = origin
        self.settle = settle
        self.targets = targets
        self.whenEarlier = whenEarlier
        state = Mutex(State(machine: ReachabilityMachine(settle: settle, targets: targets)))
    }

    /// Takes an event of the monitor's.
    ///
    /// Called on the monitor's thread.
    func handle(_ event: NetworkEvent) {
        state.withLock { state in
            switch event {
            case .update(let update):
                start(&state)
                board.note(update)
                let transitions = state.machine.handle(update, isCorrection: state.isCorrection)
                publish(transitions, &state.texts)
                state.isCorrection = false
                if let deadline = state.machine.deadline, state.awaited.map({ deadline < $0 }) ?? true { whenEarlier() }
            case .overrun(let overrun):
                publish(EventDraft(overrun)) { board.note(overrun, sequence: $0) }
            case .resynchronized(let resynchronization):
                state.isCorrection = !resynchronization.corrections.isEmpty
                publish(EventDraft(resynchronization))
            case .resynchronizationFailed(let error, let pause):
                logger.warning("cannot read the kernel's state: \(error); the next attempt follows in \(pause)")
            }
        }
    }

    /// The agent's first event goes out together with the first view: an agent that cannot see has not started.
    private func start(_ state: inout State) {
        guard !state.isStarted else { return }
        state.isStarted = true
        publish(.agentStarted(version: Agent.version, origin: origin, settle: settle, targets: targets))
        for draft in state.announced { publish(draft) }
        state.announced = []
    }

    private func publish(_ transitions: [Transition], _ texts: inout StateTexts) {
        for transition in transitions {
            let now = ObservedTime.now
            publish(EventDraft(transition, texts: &texts), at: now) { board.note(transition, sequence: $0, at: now) }
        }
    }

    private func publish(_ draft: EventDraft) { publish(draft) { board.note(sequence: $0) } }

    /// Publishes an event, and then lets the board know of its number.
    private func publish(_ draft: EventDraft, at now: ObservedTime = .now, _ note: (UInt64) -> Void) {
        let published = bus.publish { Event(draft, from: origin, at: Timestamp(now), number: $0) }
        if let published { note(published.sequence) }
    }

    /// Publishes what has held long enough, and says when to call again; `nil` while nothing waits.
    func tick() -> ContinuousClock.Instant? {
        state.withLock { state in
            publish(state.machine.tick(at: .now), &state.texts)
            state.awaited = state.machine.deadline
            return state.awaited
        }
    }

    /// Publishes an event that no change of the kernel's brought about; never before the agent's first event.
    ///
    /// Safe from any thread.
    func announce(_ draft: EventDraft) {
        state.withLock { state in
            if state.isStarted { publish(draft) } else { state.announced.append(draft) }
        }
    }

    /// Publishes the agent's last event, if it ever had a first one, and ends the bus.
    func finish(because reason: String) {
        state.withLock { state in
            if state.isStarted { publish(.agentStopping(reason: reason)) }
        }
        bus.finish()
    }
}
