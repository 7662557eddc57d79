internal import AgentEvents
internal import LinuxSupport
internal import NIOCore
internal import Probes

/// Runs from start to end.
extension HookEngine {
    /// Starts a run of a hook, if it is due.
    func begin(_ state: HookState, at now: Instant) -> Bool {
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
                on: gate,
                waiting: { [self] path in self.report(number, "\(ShellWord.quoted(path)) could not be read") },
                retrying: { [self] retry in self.note(number, retry) },
                ended: { [self] end in self.end(number, end) }
            )
        )
    }

    /// Shows a failed attempt in the status immediately, because the run may continue for minutes.
    private func note(_ number: UInt64, _ retry: WebhookRetry) {
        guard let run = runs[number] else { return }
        run.state.note(retry)
        publish()
    }

    /// Reports a run that has waited for as long as it may take.
    private func report(_ number: UInt64, _ obstacle: String) {
        guard let hook = runs[number]?.state.hook else { return }
        noticed("\(ShellWord.quoted(hook.name)) has not started: \(obstacle) within \(hook.timeout.secondsText)")
    }

    /// Checks a program's file on a separate thread, because its file system may hang.
    private func prepare(_ command: HookCommand, _ run: HookRun) {
        move(run, to: .program)
        let (number, hook, start, gate) = (run.number, run.state.hook, run.start, gate)
        run.patience = loop.scheduleTask(in: TimeAmount(hook.timeout)) { [self] in
            let file = hook.path.map(ShellWord.quoted) ?? "its file"
            report(number, "\(file), or its user or working directory, could not be checked")
        }
        run.yielding = loop.scheduleTask(in: TimeAmount(min(Self.longestCheck, hook.timeout))) { [self] in
            runs[number]?.isOverdue = true
            yieldPlaces()
        }
        let ticket = starts.take()
        do throws(SystemError) {
            try NamedThread.start("hook-check") { [self] in
                let result = HookPreparation.make(hook, command, for: start.element, superseded: start.superseded)
                gate.execute { self.prepared(ticket, number, result) }
            }
        } catch {
            let failure = HookPreparation.Failure.noThread(errno: error.errno)
            loop.execute { [self] in prepared(ticket, number, .failure(failure)) }
        }
    }

    private func prepared(
        _ ticket: UInt64,
        _ number: UInt64,
        _ result: Result<HookPreparation, HookPreparation.Failure>
    ) {
        let run = runs[number]
        run?.cancelTimers()
        run?.isOverdue = false
        guard let run, run.place == .hanging else { return start(starts.ready(ticket, (number, result))) }
        move(run, to: .answered)
        answered.append((ticket, (number, result)))
        yieldPlaces()
    }

    /// Lets other programs run while the files of these are still being checked, the earliest first.
    ///
    /// As many as there are places do that: each holds a thread, and no call can end that.
    private func yieldPlaces() {
        guard !isStopping else { return }
        for run in runs.values.filter({ $0.isOverdue && $0.place == .program }).sorted(by: { $0.number < $1.number })
        where hanging < maximumPrograms { move(run, to: .hanging) }
        begin()
    }

    /// Starts programs that have given up their places, before others take these.
    func beginAnswered() {
        while programs < maximumPrograms, let (ticket, prepared) = answered.popFirst() {
            if let run = runs[prepared.run] { move(run, to: .program) }
            start(starts.ready(ticket, prepared))
        }
    }

    private func move(_ run: HookRun, to place: HookRun.Place) {
        for (place, change) in [(run.place, -1), (place, 1)] {
            switch place {
            case .none, .answered: break
            case .program: programs += change
            case .hanging: hanging += change
            }
        }
        run.place = place
    }

    /// Starts the next program, if any, and ensures that a slow one does not delay the others for long.
    func start(_ next: StartSequencer<PreparedRun>.Starter?) {
        if let next { launch(next.element.run, next.element.result, ticket: next.ticket) }
        guard starts.isHeldUp, !isStopping else {
            holdUp?.cancel()
            holdUp = nil
            return
        }
        guard holdUp == nil || next != nil else { return }
        holdUp?.cancel()
        holdUp = loop.scheduleTask(in: TimeAmount(Self.longestHoldUp)) { [self] in
            holdUp = nil
            start(starts.passOver())
        }
    }

    private func launch(
        _ number: UInt64,
        _ result: Result<HookPreparation, HookPreparation.Failure>,
        ticket: UInt64
    ) {
        guard let run = runs[number] else { return start(starts.started(ticket)) }
        switch result {
        case .failure(let failure):
            end(number, HookRunEnd(outcome: failure.outcome))
            start(starts.started(ticket))
        case .success(let preparation):
            run.began = .now
            run.stage = .program(
                HookProcess.start(
                    preparation.launch,
                    on: gate,
                    in: containment,
                    made: { [self] in start(starts.started(ticket)) },
                    ended: { [self] end in
                        start(starts.started(ticket))
                        self.end(number, end)
                    }
                )
            )
        }
    }

    func end(_ number: UInt64, _ end: HookRunEnd) {
        guard let run = runs.removeValue(forKey: number) else { return }
        run.cancelTimers()
        move(run, to: .none)
        let now = Instant.now
        let state = run.state
        state.queue.ended(end.ending, at: now)
        let waited = run.start.offered.duration(to: run.began ?? now)
        var completion = end.completion(of: state.hook, for: run.start, delay: waited)
        completion.failures = state.queue.failures
        completion.pausedMilliseconds = state.queue.pausedUntil.flatMap { pausedUntil in
            pausedUntil > now ? now.duration(to: pausedUntil).milliseconds : nil
        }
        state.note(completion, isFailure: end.ending == .failed)
        // The status must include the end of the run before it is reported.
        publish()
        completed(completion)
        if state.isGone, state.queue.isIdle {
            leaving.removeAll { $0 === state }
            statusStore.erase(state.key)
        }
        if isStopping { finishStopping() } else { yieldPlaces() }
    }
}

/// The check of a run's file, and its result.
typealias PreparedRun = (run: UInt64, result: Result<HookPreparation, HookPreparation.Failure>)

/// One run of a hook in progress.
///
/// Used only on the runner's loop.
final class HookRun {
    /// The stage of the run.
    enum Stage {
        /// The file is being checked, or the program is waiting for its turn to start.
        case prepared
        case program(HookProcess)
        case webhook(WebhookRun)
    }

    /// The place of a run among the programs that run at a time.
    enum Place {
        /// None, because it is a webhook or has ended.
        case none
        /// One of the maximum number.
        case program
        /// None while the check of its file hangs.
        case hanging
        /// None yet again, after the check of its file has ended.
        case answered
    }

    let number: UInt64
    let state: HookState
    let start: HookQueue<HookOffer>.Start
    var stage = Stage.prepared
    var place = Place.none
    /// The time at which the program or the request started; nil before that.
    var began: SuspendingClock.Instant?
    /// The end of the time after which a program whose file is still being checked is reported.
    var patience: Scheduled<Void>?
    /// The end of the time after which such a program gives up its place.
    var yielding: Scheduled<Void>?
    /// `true` if that time is over, and the file is still being checked.
    var isOverdue = false

    init(number: UInt64, state: HookState, start: HookQueue<HookOffer>.Start) {
        self.number = number
        self.state = state
        self.start = start
    }

    /// Cancels the timers of the check.
    func cancelTimers() {
        patience?.cancel()
        yielding?.cancel()
    }

    /// Ends the run; no effect before it has started.
    func stop() {
        switch stage {
        case .prepared: break
        case .program(let process): process.stop()
        case .webhook(let webhook): webhook.stop()
        }
    }

    /// Ends the run if it is a webhook that waits for its secret or the network: neither is worth the grace period.
    func stopIfWaiting() { if case .webhook(let webhook) = stage { webhook.stopIfWaiting() } }

    /// Suspends or resumes the run if it is a webhook.
    func networkChanged(isOnline: Bool) {
        if case .webhook(let webhook) = stage { webhook.networkChanged(isOnline: isOnline) }
    }
}
