internal import CheckResults

/// The jobs, from the start to the next rounds of their points.
extension ProbeSchedule {
    /// The next step of the scheduler.
    enum Step {
        /// Start this check; its bytes are charged to the account.
        case check(job: UInt64, Probe, account: String?)
        /// Refuse the check, for this reason.
        case refuse(job: UInt64, Probe, Finding)
    }

    /// Takes the earliest job for which there is capacity; nil when there is none.
    ///
    /// Transfers come last: every other check that may start has started.
    ///
    /// - Parameter seconds: The wall clock, in seconds since 1970, which determines the day of the budgets.
    mutating func takeStep(now: ContinuousClock.Instant, seconds: Int64) -> Step? {
        while underWay < limits.checks, let name = ready.first {
            let number = destinations[name]?.waiting.first
            destinations[name]?.waiting.removeFirst()
            guard let number, let point = jobs[number]?.points.first, let scheduled = entries[point]?.scheduled else {
                refresh(name)
                continue
            }
            budget.update(seconds: seconds)
            jobs[number]?.started = now
            if let finding = refusal(scheduled, over: scheduled.cost) {
                refresh(name)
                return .refuse(job: number, scheduled.probe, finding)
            }
            jobs[number]?.hasSlot = true
            underWay += 1
            destinations[name]?.underWay += 1
            refresh(name)
            counted.checks &+= 1
            counted.longestDelay = max(counted.longestDelay, now - (jobs[number]?.due ?? now))
            var probe = scheduled.probe
            probe.limits.budgetBytes = budget.reserve(forCheck: number, scheduled.cost)
            return .check(job: number, probe, account: scheduled.cost.account)
        }
        return takeTransfer(now: now, seconds: seconds)
    }

    func refusal(_ scheduled: ScheduledProbe, over cost: LinkCost) -> Finding? {
        if cost.isCellular, !scheduled.probe.allowsCellularAccess {
            return Finding(
                .cellularNotAllowed,
                subject: scheduled.probe.target.shown,
                evidence: "the check would leave through a cellular interface (\(scheduled.point.vantage)), "
                    + "and it may not use one"
            )
        }
        return budget.refusal(cost)
    }

    /// Ends a job: frees its slot, counts its bytes, and returns its points, which then wait to be judged.
    ///
    /// For an abandoned job only the bytes are counted: its slot is free already, and its points have other jobs.
    /// - Parameters:
    ///   - account: The account to charge for a check that is no transfer; nil for none.
    ///   - seconds: The wall clock, in seconds since 1970.
    mutating func finish(
        _ number: UInt64,
        report: CheckReport,
        account: String?,
        seconds: Int64
    ) -> [CompletedCheck] {
        budget.update(seconds: seconds)
        if var running = transfers.running, running.job == number {
            charge(report.bytesOnWire, to: &running)
            transfers.running = nil
        } else {
            budget.use(report.bytesOnWire, of: account)
            if jobs[number]?.isRequested == true { budget.useOnRequest(report.bytesOnWire, of: account) }
        }
        budget.release(number)
        guard let job = removeJob(number) else { return [] }
        if job.hasSlot {
            counted.shared &+= UInt64(max(0, job.points.count - 1))
        } else {
            counted.refused &+= UInt64(job.points.count)
        }
        var checks: [CompletedCheck] = []
        for point in job.points {
            var due = job.due
            if let index = entries.index(forKey: point) {
                entries.values[index].isJudged = true
                entries.values[index].started = job.started
                due = entries.values[index].due
            }
            checks.append(
                CompletedCheck(
                    point: point,
                    report: report,
                    due: due,
                    started: job.started ?? job.due,
                    isShared: job.hasSlot && !checks.isEmpty
                )
            )
        }
        return checks
    }

    /// Returns whether the result of a job still counts for a point: not if the point was removed or is being
    /// rechecked.
    func isAwaited(_ point: ProbePoint, job: UInt64) -> Bool {
        guard let entry = entries[point] else { return false }
        return entry.job == job && entry.isJudged && entry.recheck == nil
    }

    /// Applies the judge's cadence, which determines the point's next round.
    ///
    /// - Parameter cadence: Nil when the judge was not called, because the result no longer counted.
    mutating func settle(_ point: ProbePoint, job: UInt64, cadence: Cadence?, now: ContinuousClock.Instant) {
        guard var entry = entries[point], entry.job == job, entry.isJudged else { return }
        entry.job = nil
        entry.isJudged = false
        if let cadence { entry.cadence = cadence }
        if entry.isLeaving {
            entries[point] = nil
            return
        }
        entry.previous = entry.base
        let retry = cadence == .steady ? nil : entry.retry
        entry.retry = nil
        let wanted = entry.recheck ?? entry.requested
        (entry.recheck, entry.requested) = (nil, nil)
        if let wanted {
            entry.base = wanted
            rounds.set(point, due: wanted)
        } else if let retry {
            entry.base = max(retry, now)
            rounds.set(point, due: entry.base)
        } else {
            let round = next(after: entry.base, entry, now: now)
            countSkipped(round.missed)
            entry.base = round.base
            rounds.set(point, due: round.due)
        }
        entries[point] = entry
    }

    /// Removes a job, and frees its slot.
    mutating func removeJob(_ number: UInt64) -> Job? {
        guard let job = jobs.removeValue(forKey: number) else { return nil }
        if joinable[job.key] == number { joinable[job.key] = nil }
        guard let destination = job.destination else {
            transfers.waiting.remove(number)
            return job
        }
        if job.hasSlot {
            underWay -= 1
            destinations[destination]?.underWay -= 1
        } else {
            destinations[destination]?.waiting.remove(number)
        }
        refresh(destination)
        return job
    }
}
