internal import AgentEvents
internal import EventLoopExecutor
internal import ForeignText
internal import NIOCore
internal import Probes

/// The part of a runner that works on its event loop: it turns events into runs.
///
/// `@unchecked Sendable`: `gate`, `statusStore`, `containment` and the closures are immutable and Sendable; everything
/// else is used only on the event loop of `gate`, on which its methods and those of its extensions are called.
final class HookEngine: @unchecked Sendable {
    typealias Instant = SuspendingClock.Instant

    /// The maximum time for which a hook that is slow to check or start delays the hooks after it.
    static let longestHoldUp = Duration.milliseconds(250)
    /// The time, counted from the end of the grace period, after which a killed run that does not end is abandoned.
    static let longestEnding = Duration.seconds(10)
    /// The time after which a program keeps no place of those that run while it is still being checked or started.
    static let longestCheck = Duration.seconds(1)
    /// The maximum number of ended runs whose checks go on: each holds a thread.
    static let maximumAbandonedChecks = 8
    /// The pause before another attempt to read the directories, for which a thread, descriptors or memory lacked.
    static let pauseInShortage = TimeAmount.seconds(1)

    /// The access to the loop for threads that may outlive it, such as one that checks a file on a hanging file system
    /// or waits for a program.
    let gate: LoopGate
    var loop: any EventLoop { gate.eventLoop }
    let statusStore = HookStatusStore()
    let containment: HookContainment?
    /// Reports a file system that does not answer, as a sentence for the log.
    let noticed: @Sendable (String) -> Void
    let completed: @Sendable (HookCompletion) -> Void

    var settings = HookSettings()
    var configured: [HookState] = []
    var files: [HookState] = []
    /// Removed hooks with runs in progress.
    var leaving: [HookState] = []
    var runs: [UInt64: HookRun] = [:]
    var nextRun: UInt64 = 0
    /// The number of runs that count as programs.
    var programs = 0
    /// The number of programs that have given up their place.
    var hanging = 0
    /// The runs whose files are being checked, including those that have ended meanwhile.
    var checks: Set<UInt64> = []
    /// The programs without a place whose files have been checked.
    var answered: CircularBuffer<(ticket: UInt64, prepared: PreparedRun)> = []
    private var runQueue: CircularBuffer<HookState> = []
    var starts = StartSequencer<PreparedRun>()
    var holdUp: Scheduled<Void>?
    var directoryQueue = WaitingEvents()
    var directoryReading: DirectoryReading?
    var abandonedReadings = AbandonedReadings()
    var lastReading: UInt64 = 0
    /// The reasons that directories could not be read the last time.
    var lastRefusals: [HookRefusal] = []
    private var alarm: (at: Instant, task: Scheduled<Void>)?
    /// The chances of requests, by the last event that was offered to webhooks.
    private(set) var network = RequestNetwork.offline
    /// Returns whether requests with this interface, or none, and these families may leave through a cellular link.
    private let isCellular: @Sendable (Vantage) -> Bool
    private let alternativeNames: @Sendable (String) -> [String]
    var prober: Prober?
    private var stopped: (@Sendable (Prober?) -> Void)?
    var isStopping = false

    init(
        gate: LoopGate,
        containment: HookContainment?,
        isCellular: @escaping @Sendable (Vantage) -> Bool,
        alternativeNames: @escaping @Sendable (String) -> [String],
        noticed: @escaping @Sendable (String) -> Void,
        completed: @escaping @Sendable (HookCompletion) -> Void
    ) {
        self.gate = gate
        self.isCellular = isCellular
        self.alternativeNames = alternativeNames
        self.containment = containment
        self.noticed = noticed
        self.completed = completed
    }

    /// Handles delivered items.
    func take(_ items: [HookInbox.Item], lost: [EventType: Int]) {
        guard !isStopping else { return }
        if !lost.isEmpty { for state in files + configured { state.countLost(lost) } }
        for item in items {
            switch item {
            case .event(let event, let delivered): take(event, at: delivered)
            case .settings(let settings, let last): take(settings, last: last)
            }
        }
        readDirectories()
        yieldPlaces()
    }

    /// Stops starting runs, and ends the current ones after the grace period.
    ///
    /// - Parameter stopped: Called with the prober, if any, when all runs have ended.
    func stop(grace: Duration, stopped: @escaping @Sendable (Prober?) -> Void) {
        guard !isStopping else { return stopped(nil) }
        isStopping = true
        self.stopped = stopped
        alarm?.task.cancel()
        holdUp?.cancel()
        directoryReading?.end()
        offer(directoryQueue.passOver())
        directoryQueue.removeAll()
        runQueue.removeAll()
        answered.removeAll()
        for state in files + configured + leaving { drop(state) }
        for run in runsInOrder {
            if case .prepared = run.stage { end(run.number, HookRunEnd(outcome: .stopped)) }
        }
        for run in runsInOrder { run.stopIfWaiting() }
        loop.scheduleTask(in: TimeAmount(grace)) { for run in self.runsInOrder { run.stop() } }
        loop.scheduleTask(in: TimeAmount(grace) + TimeAmount(Self.longestEnding)) {
            for run in self.runsInOrder { self.end(run.number, HookRunEnd(outcome: .stopped)) }
        }
        finishStopping()
    }

    func finishStopping() {
        publish()
        guard isStopping, runs.isEmpty, let stopped else { return }
        self.stopped = nil
        stopped(prober)
        prober = nil
    }

    // MARK: Events and settings

    /// Returns an event as hooks see it, with the alternative names of its interfaces.
    private func named(_ event: Event) -> HookEvent {
        var event = HookEvent(event)
        event.addAlternativeNames(alternativeNames)
        return event
    }

    private func take(_ event: Event, at delivered: Instant) {
        let event = named(event)
        let isForFiles = HookOccasion.types.contains(event.type) && !settings.directories.isEmpty
        offer(directoryQueue.add((event, delivered), isForFiles: isForFiles))
    }

    private func take(_ new: HookSettings, last: LastEvents) {
        // The earlier events are for the hooks that were configured when they came.
        offer(directoryQueue.passOver())
        if new.directories != settings.directories { abandonReading() }
        settings = new
        containment?.apply(new.limits)
        let (now, newest) = (Instant.now, last.newest)
        var known: [ForeignText: HookState] = [:]
        for state in configured + leaving where !state.key.isFile { known[state.key.name] = state }
        var present: [HookState] = []
        for definition in new.definitions {
            let state: HookState
            // By its former definition.
            var hasHad: (HookEvent) -> Bool = { _ in false }
            if let old = known.removeValue(forKey: ForeignText(definition.name)) {
                state = old
                present.append(state)
                hasHad = state.hasHad
                guard state.take(definition, after: newest) else { continue }
                endFormerRuns(of: state)
            } else {
                state = HookState(definition, after: newest)
                present.append(state)
            }
            guard definition.pace.runsAtStart, state.queue.waiting == 0 else { continue }
            for event in last.events(of: definition.trigger.types.intersection(LastEvents.types)) {
                let event = named(event)
                guard definition.trigger.matches(event) == .matches, !hasHad(event) else { continue }
                state.offer(HookOffer(event, isAtStart: true), at: now)
            }
        }
        configured = present
        leaving.removeAll { state in present.contains { $0 === state } }
        for state in known.values where !state.isGone { leave(state) }
        leaveFiles(outside: HookDirectories(new.directories))
        if new.directories.isEmpty { directoryQueue.removeAll() }
        if let event = last.events(of: [.reachabilityChanged]).last {
            networkChanged(HookEvent(event).to.network)
        }
    }

    func leave(_ state: HookState) {
        state.leave()
        endUnwantedRuns()
        if state.queue.isIdle { statusStore.erase(state.key) } else { leaving.append(state) }
    }

    // MARK: Runs

    /// The current runs, in the order in which they began.
    var runsInOrder: [HookRun] { runs.values.sorted { $0.number < $1.number } }

    /// Suspends the webhooks that are running while they must not send, and resumes them.
    func networkChanged(_ network: RequestNetwork) {
        self.network = network
        for state in configured + leaving where state.hook.webhook != nil { state.isChanged = true }
        for run in runsInOrder { run.networkChanged(network) }
    }

    /// Returns whether a request might leave now through a link that it must not use.
    func isExcluded(_ webhook: Webhook) -> Bool {
        let probe = webhook.probe
        guard !probe.request.allowsCellularAccess else { return false }
        return isCellular(Vantage(interface: probe.interface, families: probe.families))
    }

    /// Starts the runs that are due, and sets the timer for the others.
    func begin() {
        let now = Instant.now
        var due: [(wake: Instant, place: Int, state: HookState)] = []
        for (place, state) in (files + configured).enumerated() where !state.isQueued && mayRun(state) {
            if let wake = state.queue.wake, wake <= now { due.append((wake, place, state)) }
        }
        // Hooks that are due at the same time, such as all hooks of one event, keep their order.
        for (_, _, state) in due.sorted(by: { ($0.wake, $0.place) < ($1.wake, $1.place) }) {
            guard state.hook.webhook == nil else {
                while begin(state, at: now) {}
                continue
            }
            state.isQueued = true
            runQueue.append(state)
        }
        beginAnswered()
        while programs < maximumPrograms, let state = runQueue.popFirst() {
            state.isQueued = false
            guard !state.isGone, begin(state, at: now), state.queue.isDue(at: now) else { continue }
            state.isQueued = true
            runQueue.append(state)
        }
        setAlarm(now)
        publish()
    }

    var maximumPrograms: Int { max(1, settings.maximumRunning) }

    private func mayRun(_ state: HookState) -> Bool {
        state.hook.webhook.map { network != .offline && !isExcluded($0) } ?? true
    }

    // MARK: Time and status

    /// Sets the timer for the next due hook that is not queued to run.
    private func setAlarm(_ now: Instant) {
        var next: Instant?
        for state in files + configured where !state.isQueued {
            guard var wake = state.queue.wake else { continue }
            if let webhook = state.hook.webhook {
                guard network != .offline else { continue }
                if isExcluded(webhook) { wake = max(wake, now.advanced(by: WebhookPace.standardRecheck)) }
            }
            next = next.map { min($0, wake) } ?? wake
        }
        guard next != alarm?.at else { return }
        alarm?.task.cancel()
        alarm = next.map { next in
            let task = loop.scheduleTask(in: TimeAmount(max(.zero, now.duration(to: next)))) { [self] in
                alarm = nil
                begin()
            }
            return (next, task)
        }
    }

    func publish() {
        for state in files + configured + leaving where state.isChanged {
            state.isChanged = false
            statusStore.write(state, isHeld: !mayRun(state))
        }
    }
}
