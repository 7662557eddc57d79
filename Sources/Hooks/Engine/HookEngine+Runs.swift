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
                network: network,
                isExcluded: { [self] in isExcluded(webhook) },
                waiting: { [self] path in
                    self.report(number, "sent its request", "\(ShellWord.quoted(path)) could not be read")
                },
                retrying: { [self] retry in self.note(number, retry) },
                ended: { [self] end in self.end(number, end) }
            )
        )
    }

    /// Shows a failed attempt in the status immediately, because the run may continue for minutes.
    private func note(_ number: UInt64, _ retry: WebhookRetry) {
        guard let run = runs[number], !run.isObsolete else { return }
        run.state.note(retry)
        publish()
    }

    /// Reports a run that has waited for as long as it may take.
    private func report(_ number: UInt64, _ step: String, _ obstacle: String) {
        guard let hook = runs[number]?.state.hook else { return }
        noticed("\(ShellWord.quoted(hook.name)) has not \(step): \(obstacle) within \(hook.timeout.secondsText)")
    }

    /// Checks a program's file on a separate thread, because its file system may hang.
    private func prepare(_ command: HookCommand, _ run: HookRun) {
        move(run, to: .program)
        let (number, hook, start, gate) = (run.number, run.state.hook, run.start, gate)
        watch(run, "or its user or working directory, could not be checked")
        let ticket = starts.take()
        checks.insert(number)
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

    /// Reports a program that is not checked, or has not started, within its timeout, and makes it give up its place
    /// sooner.
    private func watch(_ run: HookRun, _ obstacle: String) {
        let (number, hook) = (run.number, run.state.hook)
        run.patience = loop.scheduleTask(in: TimeAmount(hook.timeout)) { [self] in
            report(number, "started", "\(hook.path.map(ShellWord.quoted) ?? "its file"), \(obstacle)")
        }
        run.yielding = loop.scheduleTask(in: TimeAmount(min(Self.longestCheck, hook.timeout))) { [self] in
            runs[number]?.isOverdue = true
            yieldPlaces()
        }
    }

    private func prepared(
        _ ticket: UInt64,
        _ number: UInt64,
        _ result: Result<HookPreparation, HookPreparation.Failure>
    ) {
        checks.remove(number)
        // If its run has ended before, another one may end before its check.
        if endUnwantedRuns() { yieldPlaces() }
        let run = runs[number]
        run?.cancelTimers()
        run?.isOverdue = false
        guard let run, run.place == .hanging else { return start(starts.ready(ticket, (number, result))) }
        move(run, to: .answered)
        answered.append((ticket, (number, result)))
        yieldPlaces()
    }

    /// Lets other programs run while these are still being checked or started, the earliest first.
    ///
    /// As many as there are places do that: each holds a thread, and no call can end that.
    func yieldPlaces() {
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
            // The kernel may answer for what was checked, and not when it reads the program or enters the directory.
            watch(run, "what it loads, or its working directory, could not be read")
            run.stage = .program(
                HookProcess.start(
                    preparation.launch,
                    on: gate,
                    in: containment,
                    made: { [self] in
                        made(number)
                        start(starts.started(ticket))
                    },
                    ended: { [self] end in
                        start(starts.started(ticket))
                        self.end(number, end)
                    }
                )
            )
        }
    }

    /// Notes that a program runs; it has a place again, although others may have taken all.
    private func made(_ number: UInt64) {
        guard let run = runs[number] else { return }
        run.cancelTimers()
        run.isOverdue = false
        if run.place == .hanging { move(run, to: .program) }
    }

    /// Notes that a hook has another definition, and ends those of its runs whose programs have not started.
    func endFormerRuns(of state: HookState) {
        for run in runsInOrder where run.state === state { run.becomeObsolete() }
        endUnwantedRuns()
    }

    /// Ends the runs of removed and changed hooks whose programs have not started: the check of a file may hang for hours,
    /// and would keep the new definition from running.
    ///
    /// No call ends the thread of a check. Beyond a maximum number of such threads, a run ends with its check.
    ///
    /// - Returns: `true` if a run has ended, and others may start.
    @discardableResult
    func endUnwantedRuns() -> Bool {
        var hasEnded = false
        for run in runsInOrder where run.isUnwanted {
            guard case .prepared = run.stage else { continue }
            let abandoned = checks.count { runs[$0] == nil }
            guard !checks.contains(run.number) || abandoned < Self.maximumAbandonedChecks else { continue }
            runs[run.number] = nil
            finish(run, HookRunEnd(outcome: .stopped))
            hasEnded = true
        }
        return hasEnded
    }

    func end(_ number: UInt64, _ end: HookRunEnd) {
        guard let run = runs.removeValue(forKey: number) else { return }
        finish(run, end)
        if isStopping { finishStopping() } else { yieldPlaces() }
    }

    /// Records the end of a run, and starts no other.
    private func finish(_ run: HookRun, _ end: HookRunEnd) {
        run.cancelTimers()
        move(run, to: .none)
        let state = run.state
        let now = Instant.now
        state.queue.ended(
            run.isObsolete ? .stopped : end.ending,
            at: now,
            pause: run.isObsolete ? nil : end.requestedPause
        )
        if run.isObsolete, end.ending == .stopped, !isStopping, state.takesBack(run.start.element) {
            // It has not been sent: that is for the new definition.
            state.queue.putBack(run.start)
            state.isChanged = true
        } else if run.began != nil || !run.isUnwanted || isStopping {
            // Of a removed or changed hook, what has not started is dropped as its queue is: without a report.
            report(end, of: state, for: run.start, began: run.began, at: now, counts: !run.isObsolete)
        }
        if state.isGone, state.queue.isIdle {
            leaving.removeAll { $0 === state }
            statusStore.erase(state.key)
        }
    }

    /// Drops the queued events of a hook, because the agent is stopping.
    ///
    /// The newest one of a webhook is reported: it may have waited for the network since long before the stop.
    func drop(_ state: HookState) {
        state.isChanged = true
        guard let dropped = state.queue.withdraw(), state.hook.webhook != nil else { return }
        report(HookRunEnd(outcome: .stopped), of: state, for: dropped, began: nil, at: .now)
    }

    private func report(
        _ end: HookRunEnd,
        of state: HookState,
        for start: HookQueue<HookOffer>.Start,
        began: Instant?,
        at now: Instant,
        counts: Bool = true
    ) {
        var completion = end.completion(of: state.hook, for: start, delay: start.offered.duration(to: began ?? now))
        completion.failures = state.queue.failures
        // At the end of the agent there is no next run.
        if !isStopping, let pausedUntil = state.queue.pausedUntil, pausedUntil > now {
            completion.pausedMilliseconds = now.duration(to: pausedUntil).milliseconds
        }
        if counts { state.note(completion, isFailure: end.ending == .failed) }
        // The status must include the end of the run before it is reported.
        publish()
        completed(completion)
    }
}

/// The check of a run's file, and its result.
typealias PreparedRun = (run: UInt64, result: Result<HookPreparation, HookPreparation.Failure>)
