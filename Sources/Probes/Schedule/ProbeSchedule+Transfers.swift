internal import CheckResults

/// The queue of transfers: one at a time, whatever their targets, because two of them would measure each other.
///
/// A transfer occupies none of the slots of other checks: one of two minutes must neither delay them nor wait for them.
struct TransferQueue: Sendable {
    /// `true` while transfers may start.
    var isOpen = false
    /// The queued jobs, by due time.
    var waiting = DueHeap<UInt64>()
    /// The job whose transfer is running; an abandoned one counts until its report has arrived.
    var running: UInt64?

    /// The job that may start now.
    var next: UInt64? { isOpen && running == nil ? waiting.first : nil }
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
            if let finding = refusal(ofTransfer: scheduled) {
                return .refuse(job: number, scheduled.probe, finding)
            }
            jobs[number]?.hasSlot = true
            transfers.running = number
            counted.checks &+= 1
            var probe = scheduled.probe
            probe.limits.budgetBytes = budget.reserve(bytes, forTransfer: number, scheduled.cost)
            return .check(job: number, probe, account: scheduled.cost.account)
        }
        return nil
    }

    private func refusal(ofTransfer scheduled: ScheduledProbe) -> Finding? {
        if let finding = refusal(scheduled) { return finding }
        guard let plan = scheduled.probe.transfer else { return nil }
        let subject = scheduled.probe.target.description
        if scheduled.cost.isMetered, !plan.allowsMetered {
            return Finding(
                .transferMetered,
                subject: subject,
                evidence:
                    "the uplink is metered (\(scheduled.point.vantage)), and the probe transfers over no such uplink"
            )
        }
        guard let left = budget.remaining(scheduled.cost), left < plan.bytesOnWire else { return nil }
        return Finding(
            .budgetExhausted,
            subject: scheduled.cost.account ?? subject,
            evidence: "\(left) bytes are left for today (UTC), and the transfer may need \(plan.bytesOnWire)"
        )
    }
}
