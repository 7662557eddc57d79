internal import Configuration
internal import InputRecording
internal import Logging
internal import NetlinkMonitor
internal import NotificationBus
internal import Probes
internal import Reachability
internal import Synchronization

internal import struct AgentEvents.ConfigurationReload
internal import struct AgentEvents.Event
internal import struct AgentEvents.EventDraft
internal import struct AgentEvents.EventOrigin
internal import struct AgentEvents.JournalDegraded
internal import struct AgentEvents.ProbeSummary
internal import struct AgentEvents.SettledStates
internal import struct AgentEvents.Timestamp

/// Feeds the pure state machine with the kernel's view, check results and time, and publishes its transitions.
///
/// Everything happens under one lock, on the thread of the input: the order of the numbers is the order of the
/// transitions, and no hop between threads lies between a kernel message and the bus. An event's time is that
/// of the input which brought it about, so that a recording of the inputs gives the same events; an input that was read
/// before an event went out has that event's time, so that times never run backwards against numbers unless the clock
/// is set back. The recording has that time too, because it does not have all events.
final class ReachabilityDriver: Sendable {
    struct State {
        var machine: ReachabilityMachine
        var plan: ConnectivityPlan
        var isStarted = false
        var clock = EventClock()
        /// The events announced before the agent's first event.
        var announced: [EventDraft] = []
        var isCorrection = false
        /// The loss of kernel messages that has not been made good.
        var overrun: Overrun?
        /// The time for which the caller of ``tick()`` waits.
        var awaited: ContinuousClock.Instant?
        var network = NetworkSnapshot(isSynchronized: false)
        var alternativeNames = AlternativeNames()
        /// The points of which the probes' schedule was last made.
        var points: [ProbePoint] = []
        var costs: [Vantage: LinkCost] = [:]
        /// The costs of the points whose address has a lookup of its own.
        var costsOfLookups: [ProbePoint: LinkCost] = [:]
        /// `true` if a path has changed since the costs were determined, which need not be the path of a point.
        var hasNewPaths = false
        var nextHops = NextHopChecks()
        var updates = ScheduleUpdates()
        /// The times from which on the checks of these points count: one that started before was made over the previous
        /// path.
        var freshSince: [ProbePoint: ContinuousClock.Instant] = [:]
        /// The checks of the current hour.
        var summaries = ProbeSummaries()
        /// `true` if a check has met a portal since the schedule was updated.
        var meetsPortal = false
    }

    let origin: EventOrigin
    private let bus: NotificationBus<Event>
    private let statusStore: StatusStore
    let metrics: MetricsStore
    private let recorder: InputRecorder?
    private let logger = AgentLogger.make()
    let advertisedPortals: @Sendable ([Uplink]) -> [NetworkPortal]
    private let suspended: @Sendable () -> Duration?
    private let onEarlierDeadline: @Sendable () -> Void
    let state: Mutex<State>
    let runner = Mutex<ProbeRunner?>(nil)
    private let checkPublisher = Mutex<CheckPublisher?>(nil)
    /// Held while the schedule is updated, so that the newest update is the last one.
    let scheduling = Mutex(())

    /// Creates a driver that publishes on a bus, and records what it has published.
    ///
    /// - Parameters:
    ///   - recorder: Records every input of the state machine; `nil` for no recording.
    ///   - advertisedPortals: Returns the portals that the networks behind uplinks announce.
    ///   - suspended: Returns the duration of suspends since the last call; called before every input.
    ///   - onEarlierDeadline: Called when ``tick()`` must be called earlier than it returned.
    init(
        bus: NotificationBus<Event>,
        statusStore: StatusStore,
        metrics: MetricsStore = MetricsStore(),
        origin: EventOrigin,
        plan: ConnectivityPlan,
        recorder: InputRecorder?,
        advertisedPortals: @escaping @Sendable ([Uplink]) -> [NetworkPortal] = NetworkPortal.advertised,
        suspended: @escaping @Sendable () -> Duration? = { nil },
        onEarlierDeadline: @escaping @Sendable () -> Void
    ) {
        self.bus = bus
        self.statusStore = statusStore
        self.metrics = metrics
        self.origin = origin
        self.recorder = recorder
        self.advertisedPortals = advertisedPortals
        self.suspended = suspended
        self.onEarlierDeadline = onEarlierDeadline
        let configuration = plan.machineConfiguration
        state = Mutex(State(machine: ReachabilityMachine(configuration), plan: plan))
        recorder?.record(.configuration(configuration, observed: .now), nextSequence: bus.lastSequence + 1)
    }

    /// Sets the runner of the checks, and the publisher of each of them; must be called before the first event.
    func connect(runner: ProbeRunner, checkPublisher: CheckPublisher?) {
        self.runner.withLock { $0 = runner }
        self.checkPublisher.withLock { $0 = checkPublisher }
    }

    // MARK: Inputs

    /// Handles an event of the monitor.
    ///
    /// Called on the monitor's thread.
    func handle(_ event: NetworkEvent) {
        perform { state in
            switch event {
            case .update(let update):
                start(&state, at: update.observed)
                noteNewMonitor(update, &state)
                statusStore.note(update)
                state.network = update.snapshot
                // A link may be metered by its new name, although no path is another one.
                if state.alternativeNames.note(update) { state.updates.hasNewSchedule = true }
                let isCorrection = state.isCorrection
                state.isCorrection = false
                record(.update(update, isCorrection: isCorrection), state.clock)
                state.machine.handle(update, isCorrection: isCorrection) { transition in
                    if transition.isOfPath { state.hasNewPaths = true }
                    publish(transition, &state.clock, at: update.observed)
                }
            case .overrun(let overrun):
                state.overrun = overrun
                publish(EventDraft(overrun), &state.clock, at: overrun.observed) { sequence, _ in
                    statusStore.note(overrun, sequence: sequence)
                }
            case .resynchronized(let resynchronization):
                note(resynchronization, &state)
            case .resynchronizationFailed(let error, let pause):
                logger.warning("cannot read the kernel's state: \(error); the next attempt follows in \(pause)")
            }
        }
    }

    /// Judges a completed check, and returns the time after which the probe is due again.
    ///
    /// Safe from any thread.
    func judge(_ check: CompletedCheck) -> Cadence {
        let (cadence, judged) = perform { state -> (Cadence, CompletedCheck?) in
            if let since = state.freshSince[check.point] {
                // It counts nowhere; the check that follows is the one that waiting clients get.
                guard check.started >= since else { return (.doubtful, nil) }
                state.freshSince[check.point] = nil
            }
            let observed = ObservedTime.now
            let portal = state.plan.evidence(in: check)
            state.meetsPortal = portal?.verdict == .portal
            let sample = ProbeSample(point: check.point, report: check.report, portal: portal, observed: observed)
            // Everyone sees the check as the verdict does.
            let check = state.machine.excuses(sample) ? check.excused : check
            summarize(check, &state, at: observed)
            record(.sample(sample), state.clock)
            let (transitions, cadence) = state.machine.handle(sample)
            publish(transitions, &state, at: observed)
            scheduleFirstHops(with: check, &state)
            return (cadence, check)
        }
        guard let judged else { return cadence }
        metrics.note(judged, endedAt: .now)
        checkPublisher.withLock { $0 }?.take(judged, cadence)
        return cadence
    }

    /// Publishes what has held long enough, and returns the time of the next call; `nil` while nothing waits.
    func tick() -> ContinuousClock.Instant? {
        perform { state in
            let now = ObservedTime.now
            if let deadline = state.machine.deadline, deadline <= now.instant {
                record(.tick(now), state.clock)
                publish(state.machine.tick(at: now.instant), &state, at: now)
            }
            state.awaited = state.machine.deadline
            return state.awaited
        }
    }

    /// Applies another configuration, and publishes the differences.
    func configure(_ settings: Settings, _ reload: ConfigurationReload) {
        perform(isReload: true) { state in
            let now = ObservedTime.now
            let plan = ConnectivityPlan(settings, portals: state.plan.portals)
            let configuration = plan.machineConfiguration
            publish(EventDraft(reload), &state, at: now)
            statusStore.setTargets(settings.targets)
            state.plan = plan
            state.updates.hasNewSchedule = true
            record(.configuration(configuration, observed: now), state.clock)
            publish(state.machine.configure(configuration, observed: now), &state, at: now)
        }
    }

    /// Publishes the progress of a transfer; safe from any thread.
    func show(_ progress: TransferProgress, of point: ProbePoint) {
        checkPublisher.withLock { $0 }?.take(progress, of: point)
    }

    // MARK: Questions

    /// The records of the probes, the uplinks, and what was published: of one moment, between two events.
    var probes: (records: [ProbeRecord], uplinks: [Uplink], published: StatusStore.Published) {
        state.withLock { ($0.machine.probes, $0.machine.uplinks, statusStore.published) }
    }

    /// The same with the records according to the events.
    var published: (records: [ProbeRecord], uplinks: [Uplink], published: StatusStore.Published) {
        state.withLock { ($0.machine.publishedProbes, $0.machine.uplinks, statusStore.published) }
    }

    /// The checks that no published summary has yet.
    var summaries: [ProbeSummary] { state.withLock { $0.summaries.unpublished } }

    /// The current checks.
    var plan: ConnectivityPlan { state.withLock { $0.plan } }

    /// The cost of the default path, and whether it is metered.
    var costOfDefaultPath: (cost: LinkCost, isMetered: Bool) {
        let (plan, network) = state.withLock { ($0.plan, $0.network) }
        return plan.costOfDefaultPath(in: network)
    }

    /// Returns the alternative names of an interface, also of one that was removed lately; safe from any thread.
    func alternativeNames(of interface: String) -> [String] { state.withLock { $0.alternativeNames[interface] } }

    /// Starts the checks of a probe, or of all, immediately and from all of their vantages.
    func requestChecks(of probe: String?) -> RequestedChecks {
        let points = pointsToCheck(of: probe)
        return runner.withLock { $0 }?.request(points) ?? RequestedChecks()
    }

    /// The points of a probe, or of all but transfers: one takes minutes and data, and may wait for full connectivity.
    func pointsToCheck(of probe: String?) -> [ProbePoint] {
        state.withLock { state in
            state.machine.points.filter { point in
                probe.map { $0 == point.probe } ?? !state.plan.isTransfer(point)
            }
        }
    }

    // MARK: Outputs

    /// Publishes an event without a kernel change as its cause; never before the agent's first event.
    ///
    /// Safe from any thread.
    ///
    /// - Returns: The event's number; `nil` while it waits for the agent's first event, and after the last one.
    @discardableResult
    func announce(_ draft: EventDraft) -> UInt64? { state.withLock { announce(draft, &$0) } }

    /// Publishes a change of the journal, with the settled states if events are missing from it.
    ///
    /// Safe from any thread.
    func announce(_ change: JournalDegraded) {
        state.withLock { state in
            var change = change
            // Nothing has settled before the first event, behind which each state is published.
            if state.isStarted, change.missingFirstSequence != nil { change.settled = SettledStates(state.machine) }
            announce(EventDraft(change), &state)
        }
    }

    @discardableResult
    private func announce(_ draft: EventDraft, _ state: inout State) -> UInt64? {
        if state.isStarted { return publish(draft, &state, at: .now) }
        state.announced.append(draft)
        return nil
    }

    /// Publishes the agent's last event, if it ever had a first one, and ends the bus.
    func finish(because reason: String) {
        state.withLock { state in
            guard state.isStarted else { return }
            let now = ObservedTime.now
            for summary in state.summaries.takeAll() { publish(EventDraft(summary), &state, at: now) }
            publish(.agentStopping(reason: reason), &state, at: now)
        }
        bus.finish()
        recorder?.finish()
    }

    /// Runs a closure on the state, and then updates the schedule and the loop.
    func perform<Result: Sendable>(
        isReload: Bool = false,
        _ body: (inout sending State) -> Result
    ) -> Result {
        let (result, isEarlier, hasUpdates) = state.withLock { state in
            // Before anything settles: the time of a suspend does not count as time for which a state has held.
            if state.isStarted, let duration = suspended() {
                resume(after: duration, &state)
                // Before the input: if it is a check that was in flight during the suspend, it must not count.
                schedule(&state)
            }
            let result = body(&state)
            schedule(&state, isReload: isReload)
            let deadline = state.machine.deadline
            let isEarlier = deadline.map { deadline in state.awaited.map { deadline < $0 } ?? true } ?? false
            return (result, isEarlier, !state.updates.isEmpty)
        }
        if isEarlier { onEarlierDeadline() }
        if hasUpdates { updateSchedule() }
        return result
    }

    /// Counts a check, and publishes the summaries of the last hour, for which nothing wakes up.
    private func summarize(_ check: CompletedCheck, _ state: inout State, at time: ObservedTime) {
        let stamp = Timestamp(state.clock.stamp(time))
        let goodRate = state.plan.goodRate(of: check.point.probe)
        for summary in state.summaries.add(check, at: stamp, goodRate: goodRate) {
            publish(EventDraft(summary), &state, at: time)
        }
    }

    private func resume(after suspended: Duration, _ state: inout State) {
        let now = ObservedTime.now
        record(.resumed(after: suspended, observed: now), state.clock)
        publish(state.machine.resume(after: suspended, observed: now), &state, at: now)
    }

    private func note(_ resynchronization: Resynchronization, _ state: inout State) {
        state.overrun = nil
        state.isCorrection = !resynchronization.corrections.isEmpty
        publish(EventDraft(resynchronization), &state, at: resynchronization.observed)
    }

    /// Takes the first view of a monitor that a reload has put in the place of one that had lost messages as the
    /// resynchronization, which that one no longer reports.
    private func noteNewMonitor(_ update: NetworkUpdate, _ state: inout State) {
        guard let overrun = state.overrun, update.changes.isEmpty, update.snapshot.isSynchronized else { return }
        let corrections = update.snapshot.diff(from: state.network).filter { change in
            // Other addresses are looked up after a reload.
            change.code != .synchronizationChanged && change.code != .lookupChanged
        }
        note(
            Resynchronization(
                code: overrun.code,
                attempts: 1,
                duration: overrun.observed.instant.duration(to: update.observed.instant),
                corrections: corrections,
                observed: update.observed
            ),
            &state
        )
    }

    /// Records an input, before it is handled.
    func record(_ input: InputRecord, _ clock: EventClock) {
        let published = clock.time(of: input.observed)
        recorder?.record(
            input,
            nextSequence: bus.lastSequence + 1,
            published: published == input.observed ? nil : published
        )
    }

    /// Publishes the agent's first event together with the first view: an agent without a view has not started.
    private func start(_ state: inout State, at time: ObservedTime) {
        guard !state.isStarted else { return }
        state.isStarted = true
        let settings = state.plan.settings
        publish(
            .agentStarted(version: Agent.version, origin: origin, settle: settings.settle, targets: settings.targets),
            &state,
            at: time
        )
        for draft in state.announced { publish(draft, &state, at: time) }
        state.announced = []
    }

    func publish(_ transitions: [Transition], _ state: inout State, at time: ObservedTime) {
        for transition in transitions { publish(transition, &state.clock, at: time) }
    }

    private func publish(_ transition: Transition, _ clock: inout EventClock, at time: ObservedTime) {
        publish(EventDraft(transition), &clock, at: time) { statusStore.note(transition, sequence: $0, at: $1) }
        metrics.note(transition)
    }

    @discardableResult
    private func publish(_ draft: EventDraft, _ state: inout State, at time: ObservedTime) -> UInt64? {
        publish(draft, &state.clock, at: time) { sequence, _ in statusStore.note(sequence: sequence) }
    }

    /// Publishes an event, and then records its number, which it returns.
    @discardableResult
    private func publish(
        _ draft: EventDraft,
        _ clock: inout EventClock,
        at time: ObservedTime,
        _ note: (UInt64, ObservedTime) -> Void
    ) -> UInt64? {
        let stamp = clock.stamp(time)
        let published = bus.publish { Event(draft, from: origin, at: Timestamp(stamp), number: $0) }
        if let published { note(published.sequence, stamp) }
        return published?.sequence
    }
}

extension CompletedCheck {
    /// The check without a failure of its target.
    fileprivate var excused: CompletedCheck {
        guard case .failed(let code, let phase) = report.verdict else { return self }
        var check = self
        check.report.verdict = .unknown(code, phase)
        return check
    }
}

extension Transition {
    /// `true` for a raw change of the default path or the path to a target.
    fileprivate var isOfPath: Bool {
        switch self {
        case .path, .targetPath: true
        case .reachability, .target, .uplink, .probe, .certificate, .resumed: false
        }
    }
}
