internal import DetachedThread
internal import EventEnvelope
internal import NIOCore
internal import Probes

/// What a runner does on its loop: events in, runs out.
///
/// Sendable by hand: everything that changes is only used on the event loop.
final class HookEngine: @unchecked Sendable {
    typealias Instant = SuspendingClock.Instant

    /// For how long a hook whose file is slow to look at, or to start, holds up those after it.
    static let longestHoldUp = Duration.milliseconds(250)
    /// How long after the grace a run is given up that does not end although it was killed.
    static let longestEnding = Duration.seconds(10)

    let loop: any EventLoop
    let board = HookBoard()
    private let completed: @Sendable (HookCompletion) -> Void

    private var settings = HookSettings()
    private var configured: [HookState] = []
    private var files: [HookState] = []
    /// Hooks that are gone, of which something runs.
    private var leaving: [HookState] = []
    private var runs: [UInt64: HookRun] = [:]
    private var nextRun: UInt64 = 0
    private var programs = 0
    private var turns: CircularBuffer<HookState> = []
    private var order = StartOrder<(run: UInt64, result: Result<HookPreparation, HookPreparation.Failure>)>()
    private var holdUp: Scheduled<Void>?
    private var alarm: (at: Instant, task: Scheduled<Void>)?
    private var isOnline = false
    private var prober: Prober?
    private var stopped: (@Sendable (Prober?) -> Void)?
    private var isStopping = false

    init(loop: any EventLoop, completed: @escaping @Sendable (HookCompletion) -> Void) {
        self.loop = loop
        self.completed = completed
    }

    /// Takes what was delivered.
    func take(_ items: [HookInbox.Item], lost: [EventType: Int]) {
        guard !isStopping else { return }
        if !lost.isEmpty { for state in files + configured { state.countLost(lost) } }
        for item in items {
            switch item {
            case .event(let event, let delivered): take(event, at: delivered)
            case .settings(let settings, let last): take(settings, last: last)
            }
        }
        begin()
    }

    /// Begins nothing any more, and ends what runs when the grace is over.
    ///
    /// - Parameter stopped: Called when nothing runs any more, with the prober, if there is one.
    func stop(grace: Duration, stopped: @escaping @Sendable (Prober?) -> Void) {
        guard !isStopping else { return stopped(nil) }
        isStopping = true
        self.stopped = stopped
        alarm?.task.cancel()
        holdUp?.cancel()
        turns.removeAll()
        for state in files + configured + leaving {
            state.queue.withdraw()
            state.isChanged = true
        }
        for run in runs.values.sorted(by: { $0.number < $1.number }) {
            if case .prepared = run.stage { end(run.number, HookRunEnd(.stopped)) }
        }
        loop.scheduleTask(in: TimeAmount(grace)) { for run in self.runs.values { run.stop() } }
        loop.scheduleTask(in: TimeAmount(grace) + TimeAmount(Self.longestEnding)) {
            for number in self.runs.keys.sorted() { self.end(number, HookRunEnd(.stopped)) }
        }
        finishStopping()
    }

    private func finishStopping() {
        publish()
        guard isStopping, runs.isEmpty, let stopped else { return }
        self.stopped = nil
        stopped(prober)
        prober = nil
    }

    // MARK: Events and settings

    private func take(_ event: Event, at delivered: Instant) {
        guard let event = HookEvent(event) else { return }
        if event.type == .reachabilityChanged {
            isOnline = event.to.isOnline
            if !settings.folders.isEmpty { offerToFiles(event, at: delivered) }
        }
        for state in configured where state.definition?.matches(event) == .matches {
            state.offer(HookOffer(event), at: delivered)
        }
    }

    /// Reads the folders, and offers an event to those of their hooks that it concerns.
    private func offerToFiles(_ event: HookEvent, at delivered: Instant) {
        let occasions = HookOccasion.occasions(of: event)
        var known: [String: HookState] = [:]
        for state in files + leaving where state.key.isFolder { known[state.key.name] = state }
        var present: [HookState] = []
        for file in HookFolders(settings.folders).hooks(for: Set(HookOccasion.allCases)) {
            let isConcerned = occasions.contains(file.occasion)
            guard isConcerned || known[file.name] != nil else { continue }
            let hook = RunnableHook(file: file.path, name: file.name, timeout: settings.folderTimeout)
            let state = known.removeValue(forKey: file.name) ?? HookState(file: hook)
            state.take(file: hook)
            if isConcerned { state.offer(HookOffer(event), at: delivered) }
            present.append(state)
        }
        files = present
        leaving.removeAll { state in present.contains { $0 === state } }
        for state in known.values where !state.isGone { leave(state) }
    }

    private func take(_ new: HookSettings, last: LastEvents) {
        settings = new
        let now = Instant.now
        var known: [String: HookState] = [:]
        for state in configured + leaving where !state.key.isFolder { known[state.key.name] = state }
        var present: [HookState] = []
        for definition in new.definitions {
            let state: HookState
            if let old = known.removeValue(forKey: definition.name) {
                state = old
                present.append(state)
                guard state.take(definition) else { continue }
            } else {
                state = HookState(definition)
                present.append(state)
            }
            guard definition.pace.runsAtStart, state.queue.waiting == 0 else { continue }
            for event in last.events(of: definition.trigger.types.intersection(LastEvents.types)) {
                guard let event = HookEvent(event), definition.trigger.matches(event) == .matches else { continue }
                state.offer(HookOffer(event, isAtStart: true), at: now)
            }
        }
        configured = present
        leaving.removeAll { state in present.contains { $0 === state } }
        for state in known.values where !state.isGone { leave(state) }
        if new.folders.isEmpty {
            for state in files { leave(state) }
            files = []
        }
        if new.definitions.contains(where: \.isWebhook),
            let event = last.events(of: [.reachabilityChanged]).last.flatMap({ HookEvent($0) })
        {
            isOnline = event.to.isOnline
        }
    }

    private func leave(_ state: HookState) {
        state.leave()
        if state.queue.isIdle { board.erase(state.key) } else { leaving.append(state) }
    }

    // MARK: Runs

    /// Begins what is due, and sets the alarm for what is not.
    private func begin() {
        let now = Instant.now
        var due: [(wake: Instant, place: Int, state: HookState)] = []
        for (place, state) in (files + configured).enumerated() where !state.hasTurn && mayRun(state) {
            if let wake = state.queue.wake, wake <= now { due.append((wake, place, state)) }
        }
        // Those that are due at the same moment, such as an event's hooks, keep their places.
        for (_, _, state) in due.sorted(by: { ($0.wake, $0.place) < ($1.wake, $1.place) }) {
            guard state.hook.webhook == nil else {
                while begin(state, at: now) {}
                continue
            }
            state.hasTurn = true
            turns.append(state)
        }
        while programs < max(1, settings.mostRunning), let state = turns.popFirst() {
            state.hasTurn = false
            guard !state.isGone, begin(state, at: now), state.queue.isDue(at: now) else { continue }
            state.hasTurn = true
            turns.append(state)
        }
        setAlarm(now)
        publish()
    }

    private func mayRun(_ state: HookState) -> Bool { isOnline || state.hook.webhook == nil }

    /// Begins a run of a hook, if it is due.
    private func begin(_ state: HookState, at now: Instant) -> Bool {
        guard let start = state.queue.next(at: now) else { return false }
        state.isChanged = true
        let run = HookRun(number: nextRun, state: state, start: start)
        nextRun &+= 1
        runs[run.number] = run
        switch state.hook.task {
        case .webhook(let webhook): send(webhook, run)
        case .program(let command): prepare(command, run)
        }
        return true
    }

    private func send(_ webhook: Webhook, _ run: HookRun) {
        let prober = prober ?? Prober()
        self.prober = prober
        let number = run.number
        run.began = .now
        run.stage = .webhook(
            WebhookRun.start(
                webhook,
                event: run.start.element.event,
                variables: run.state.hook.variables(
                    for: run.start.element,
                    path: nil,
                    superseded: run.start.superseded
                ),
                timeout: run.state.hook.timeout,
                prober: prober,
                on: loop
            ) { [self] end in self.end(number, HookRunEnd(end)) }
        )
    }

    /// Has a program's file looked at by a thread: it may lie where nothing answers.
    private func prepare(_ command: HookCommand, _ run: HookRun) {
        programs += 1
        let (number, hook, start, loop) = (run.number, run.state.hook, run.start, loop)
        let ticket = order.take()
        do throws(DetachedThread.Refusal) {
            try DetachedThread.start { [self] in
                let result = HookPreparation.make(hook, command, for: start.element, superseded: start.superseded)
                loop.execute { self.prepared(ticket, number, result) }
            }
        } catch {
            let failure = HookPreparation.Failure.noThread(errno: error.errno)
            loop.execute { [self] in prepared(ticket, number, .failure(failure)) }
        }
    }

    private func prepared(_ ticket: UInt64, _ run: UInt64, _ result: Result<HookPreparation, HookPreparation.Failure>) {
        start(order.ready(ticket, (run, result)))
    }

    /// Starts what is next, if anything, and sees to it that nothing holds up the others for long.
    private func start(
        _ next: StartOrder<(run: UInt64, result: Result<HookPreparation, HookPreparation.Failure>)>.Starter?
    ) {
        if let next { launch(next.element.run, next.element.result, ticket: next.ticket) }
        guard order.isHeldUp, !isStopping else {
            holdUp?.cancel()
            holdUp = nil
            return
        }
        guard holdUp == nil || next != nil else { return }
        holdUp?.cancel()
        holdUp = loop.scheduleTask(in: TimeAmount(Self.longestHoldUp)) { [self] in
            holdUp = nil
            start(order.passOver())
        }
    }

    private func launch(
        _ number: UInt64,
        _ result: Result<HookPreparation, HookPreparation.Failure>,
        ticket: UInt64
    ) {
        guard let run = runs[number] else { return start(order.started(ticket)) }
        switch result {
        case .failure(let failure):
            end(number, HookRunEnd(failure.outcome))
            start(order.started(ticket))
        case .success(let preparation):
            run.began = .now
            run.stage = .program(
                HookProcess.start(
                    preparation.launch,
                    on: loop,
                    made: { [self] in start(order.started(ticket)) },
                    ended: { [self] end in
                        start(order.started(ticket))
                        self.end(number, HookRunEnd(end))
                    }
                )
            )
        }
    }

    private func end(_ number: UInt64, _ end: HookRunEnd) {
        guard let run = runs.removeValue(forKey: number) else { return }
        if run.isProgram { programs -= 1 }
        let now = Instant.now
        let state = run.state
        state.queue.ended(end.ending, at: now)
        let waited = run.start.offered.duration(to: run.began ?? now)
        var completion = end.completion(of: state.hook, for: run.start, delay: waited)
        completion.failures = state.queue.failures
        completion.pause = state.queue.pausedUntil.flatMap { $0 > now ? now.duration(to: $0) : nil }
        state.note(completion, isFailure: end.ending == .failed)
        completed(completion)
        if state.isGone, state.queue.isIdle {
            leaving.removeAll { $0 === state }
            board.erase(state.key)
        }
        if isStopping { finishStopping() } else { begin() }
    }

    // MARK: Time and standings

    /// Wakes the loop when the next hook is due that does not wait for its turn, and never otherwise.
    private func setAlarm(_ now: Instant) {
        var next: Instant?
        for state in files + configured where !state.hasTurn && mayRun(state) {
            guard let wake = state.queue.wake else { continue }
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

    private func publish() {
        for state in files + configured + leaving where state.isChanged {
            state.isChanged = false
            board.write(state)
        }
    }
}

extension HookEvent.Side {
    /// Whether a request can be expected to arrive: all is well, or nobody knows and there is a path.
    var isOnline: Bool {
        switch connectivity {
        case "full": true
        case "unknown": via.map { $0 != "none" && $0 != "unknown" } ?? false
        default: false
        }
    }
}
