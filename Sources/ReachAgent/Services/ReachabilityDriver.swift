internal import EventSchema
internal import Logging
internal import NetlinkMonitor
internal import NotificationBus
internal import Reachability
internal import ServiceLifecycle
internal import Synchronization

/// Feeds the pure state machine with the kernel's view and with time, and publishes what comes out of it.
///
/// Everything happens under one lock, on the thread that brings the news: the order of the numbers is the order of the
/// transitions, and no hop between threads lies between a message of the kernel's and the bus. `run()` waits for the
/// moments at which something settles.
final class ReachabilityDriver: Service {
    private typealias Instant = ContinuousClock.Instant

    private struct State {
        var machine: ReachabilityMachine
        var isStarted = false
        var isCorrection = false
        /// The earliest moment that `run()` was asked to wait for, and that has not come yet.
        var armed: Instant?
        var stopReason = "end of input"
    }

    private enum Wake {
        case arm(Instant)
        case fired(Instant)
    }

    let origin: EventOrigin
    private let bus: NotificationBus<Event>
    private let settle: SettlePolicy
    private let targets: [Target]
    private let logger = AgentLogger.make()
    private let state: Mutex<State>
    private let wakes: AsyncStream<Wake>
    private let wake: AsyncStream<Wake>.Continuation

    init(bus: NotificationBus<Event>, origin: EventOrigin, settle: SettlePolicy, targets: [Target]) {
        self.bus = bus
        self.origin = origin
        self.settle = settle
        self.targets = targets
        state = Mutex(State(machine: ReachabilityMachine(settle: settle, targets: targets)))
        // At most one moment is armed at a time, and a new one only when it is earlier: a handful are ever under way.
        (wakes, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1024))
    }

    /// Takes an event of the monitor's.
    ///
    /// Called on the monitor's thread.
    func handle(_ event: NetworkEvent) {
        state.withLock { state in
            switch event {
            case .update(let update):
                start(&state)
                publish(state.machine.handle(update, isCorrection: state.isCorrection))
                state.isCorrection = false
                arm(&state)
            case .overrun(let overrun): publish(EventDraft(overrun))
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
        publish(.agentStarted(version: Agent.version, bootID: origin.streamID, settle: settle, targets: targets))
    }

    private func publish(_ transitions: [Transition]) {
        for transition in transitions { publish(EventDraft(transition)) }
    }

    private func publish(_ draft: EventDraft) {
        bus.publish { Event(draft, from: origin, at: Timestamp(.now), number: $0) }
    }

    /// Asks `run()` to wait for the machine's next moment, unless it already waits for an earlier one.
    private func arm(_ state: inout State) {
        guard let deadline = state.machine.deadline, state.armed.map({ deadline < $0 }) ?? true else { return }
        state.armed = deadline
        wake.yield(.arm(deadline))
    }

    private func fire(_ moment: Instant) {
        state.withLock { state in
            if state.armed == moment { state.armed = nil }
            publish(state.machine.tick(at: .now))
            arm(&state)
        }
    }

    /// Why the agent is going to end; told in its last event.
    func willStop(because reason: String) { state.withLock { $0.stopReason = reason } }

    func run() async throws {
        await withDiscardingTaskGroup { group in
            for await event in wakes.cancelOnGracefulShutdown() {
                switch event {
                case .arm(let moment):
                    group.addTask { [wake] in
                        guard (try? await Task.sleep(until: moment, clock: .continuous)) != nil else { return }
                        wake.yield(.fired(moment))
                    }
                case .fired(let moment): fire(moment)
                }
            }
            group.cancelAll()
        }
        let reason = state.withLock { $0.stopReason }
        publish(.agentStopping(reason: reason))
        bus.finish()
    }
}
