internal import CheckResults

/// The queue of transfers: one at a time, whatever their targets, because two of them would measure each other.
///
/// A transfer occupies none of the slots of other checks: one of two minutes must neither delay them nor wait for them.
struct TransferQueue: Sendable {
    /// `true` while transfers may start.
    var isOpen = false
    /// The queued jobs, by due time.
    var waiting = DueHeap<UInt64>()
    /// The transfer that is running; an abandoned one counts until its report has arrived.
    var running: RunningTransfer?

    /// The job that may start now.
    var next: UInt64? { isOpen && running == nil ? waiting.first : nil }
}

/// A transfer and the link that it uses, which a resumed one may change.
struct RunningTransfer: Sendable {
    let job: UInt64
    let scheduled: ScheduledProbe
    /// The cost of the present link.
    var cost: LinkCost
    /// The bytes that former links carried, which are charged to their accounts.
    var chargedBytes = 0
}

/// The conditions for starting a transfer, and the reasons to refuse it.
extension ProbeSchedule {
    /// The delay of a transfer after its path has changed or its point was added: a machine whose link has just come up
    /// has more important traffic.
    static let transferDelay = (shortest: Duration.seconds(30), longest: Duration.seconds(90))

    /// Opens or closes the queue; a running transfer continues.
    mutating func allowTransfers(_ isAllowed: Bool) { transfers.isOpen = isAllowed }

    /// Returns the due time of a transfer whose path has changed.
    func delayed(_ entry: Entry, now: ContinuousClock.Instant) -> ContinuousClock.Instant {
        let (shortest, longest) = Self.transferDelay
        return now + shortest + rhythm.random(upTo: longest - shortest, hash: entry.hash, at: now)
    }

    /// Returns whether an entry's transfer is running, or complete and about to be judged.
    func isTransferring(_ entry: Entry) -> Bool {
        guard entry.isTransfer, let job = entry.job else { return false }
        return entry.isJudged || jobs[job]?.hasSlot == true
    }

    /// Takes the earliest transfer, if one may start; nil when there is none.
    mutating func takeTransfer(now: ContinuousClock.Instant, seconds: Int64) -> Step? {
        while let number = transfers.next {
            guard let point = jobs[number]?.points.first, let scheduled = entries[point]?.scheduled else {
                transfers.waiting.remove(number)
                continue
            }
            budget.update(seconds: seconds)
            let bytes = scheduled.probe.transfer?.bytesOnWire ?? 0
            // The transfer waits for running checks, which will not use their whole reservations.
            if let left = budget.remaining(scheduled.cost), left < bytes, budget.isPromising(bytes, scheduled.cost) {
                return nil
            }
            transfers.waiting.remove(number)
            jobs[number]?.started = now
            if let finding = refusal(ofTransfer: scheduled, over: scheduled.cost, bytes: bytes) {
                return .refuse(job: number, scheduled.probe, finding)
            }
            jobs[number]?.hasSlot = true
            transfers.running = RunningTransfer(job: number, scheduled: scheduled, cost: scheduled.cost)
            counted.checks &+= 1
            var probe = scheduled.probe
            probe.limits.budgetBytes = budget.reserve(bytes, forTransfer: number, scheduled.cost)
            return .check(job: number, probe, account: scheduled.cost.account)
        }
        return nil
    }

    /// Decides whether an interrupted transfer continues over the link that its checks use now, and charges the bytes so
    /// far to the former link's account.
    mutating func admit(
        _ job: UInt64,
        over cost: LinkCost,
        _ continuation: TransferContinuation,
        seconds: Int64
    ) -> TransferAdmission {
        guard var running = transfers.running, running.job == job, running.cost != cost else { return .unchanged }
        budget.update(seconds: seconds)
        charge(continuation.bytesOnWire, to: &running)
        budget.release(job)
        running.cost = cost
        transfers.running = running
        let needed = continuation.neededBytes
        if let finding = refusal(ofTransfer: running.scheduled, over: cost, bytes: needed) { return .refused(finding) }
        if jobs[job]?.isRequested == true, !budget.allowsRequest(cost, of: needed) {
            return .refused(exhausted(running.scheduled, over: cost, bytes: needed))
        }
        return .moved(budgetBytes: budget.reserve(needed, forTransfer: job, cost))
    }

    /// Charges the bytes of a transfer to its present link's account, apart from those that are charged already.
    mutating func charge(_ bytesOnWire: Int, to running: inout RunningTransfer) {
        let bytes = bytesOnWire - running.chargedBytes
        budget.use(bytes, of: running.cost.account)
        if jobs[running.job]?.isRequested == true { budget.useOnRequest(bytes, of: running.cost.account) }
        running.chargedBytes = max(bytesOnWire, running.chargedBytes)
    }

    private func refusal(ofTransfer scheduled: ScheduledProbe, over cost: LinkCost, bytes: Int) -> Finding? {
        if let finding = refusal(scheduled, over: cost) { return finding }
        if cost.isMetered, scheduled.probe.transfer?.allowsMetered != true {
            return Finding(
                .transferMetered,
                subject: scheduled.probe.target.shown,
                evidence:
                    "the uplink is metered (\(scheduled.point.vantage)), and the probe transfers over no such uplink"
            )
        }
        guard let left = budget.remaining(cost), left < bytes else { return nil }
        return exhausted(scheduled, over: cost, bytes: bytes)
    }

    private func exhausted(_ scheduled: ScheduledProbe, over cost: LinkCost, bytes: Int) -> Finding {
        Finding(
            .budgetExhausted,
            subject: cost.account ?? scheduled.probe.target.shown,
            evidence:
                "\(budget.remaining(cost) ?? 0) bytes are left for today (UTC), and the transfer may need \(bytes)"
        )
    }
}
