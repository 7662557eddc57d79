internal import CheckResults

/// The result of a request for checks.
public struct RequestedChecks: Sendable, Hashable {
    /// The number of points whose check starts because of the request, within a second.
    public var started = 0
    /// The number of points whose check was already running or about to start.
    public var joined = 0
    /// The number of points without a check, because requests have used their share of the link's daily budget.
    public var refused = 0

    /// Creates an empty result.
    public init() {}
}

/// The scheduled points, and immediate checks.
extension ProbeSchedule {
    /// Replaces the scheduled probes; see ``ProbeScheduler/setProbes(_:keeping:)``.
    ///
    /// - Returns: The running jobs that no longer serve any point and must be cancelled.
    mutating func setProbes(
        _ probes: [ScheduledProbe],
        keeping transfers: [String: String] = [:],
        now: ContinuousClock.Instant
    ) -> [UInt64] {
        let wanted = Dictionary(probes.map { ($0.point, $0) }) { _, last in last }
        var givenUp: [UInt64] = []
        for (point, entry) in entries where wanted[point]?.identity != entry.key.identity {
            if wanted[point] == nil, transfers[point.probe] == entry.key.identity, isTransferring(entry) {
                entries[point]?.isLeaving = true
                rounds.remove(point)
                continue
            }
            givenUp += detach(point, from: entry)
            entries[point] = nil
            rounds.remove(point)
        }
        var added: [ProbePoint] = []
        for probe in probes {
            guard let wanted = wanted[probe.point] else { continue }
            if entries[probe.point] == nil {
                let key = CheckKey(wanted)
                entries[probe.point] = Entry(
                    scheduled: wanted,
                    key: key,
                    hash: Rhythm.hash(key),
                    base: now,
                    previous: now,
                    due: now
                )
                added.append(probe.point)
            } else {
                update(probe.point, to: wanted, now: now)
            }
        }
        schedule(added, now: now)
        return givenUp
    }

    /// Makes points due at once, staggered, and transfers after ``transferDelay``; see ``ProbeScheduler/recheck(_:)``.
    ///
    /// A running transfer is not cancelled: whether it ends or continues over the new path is the transport's business.
    ///
    /// - Returns: The running jobs that no longer serve any point and must be cancelled.
    mutating func recheck(_ points: [ProbePoint], now: ContinuousClock.Instant) -> [UInt64] {
        var givenUp: [UInt64] = []
        for point in points {
            guard let entry = entries[point], !isTransferring(entry) else { continue }
            givenUp += detach(point, from: entry)
            // A recheck needs a new check, not one that started earlier.
            if joinable[entry.key] == entry.job { joinable[entry.key] = nil }
        }
        schedule(points.filter { entries[$0] != nil }, now: now)
        return givenUp
    }

    /// Makes points due at once, staggered; see ``ProbeScheduler/trigger(_:)``.
    mutating func trigger(_ points: [ProbePoint], now: ContinuousClock.Instant) {
        for (point, due) in staggered(points, now: now) {
            guard let entry = entries[point], entry.job == nil, rounds.due(of: point).map({ $0 > due }) ?? true else {
                continue
            }
            setDue(of: point, due: due)
        }
    }

    /// Removes all points, and keeps the counters.
    ///
    /// - Returns: The running jobs, which must be cancelled.
    mutating func removeAll() -> [UInt64] { setProbes([], now: rhythm.epoch) }

    /// Returns the time over which a number of immediate checks is spread.
    ///
    /// 10 ms for each up to a second in total; very many take half a millisecond each, up to 5 s.
    static func stagger(_ count: Int) -> Duration {
        let count = min(max(0, count), 10_000)
        return max(min(.milliseconds(10) * count, .seconds(1)), .microseconds(500) * count)
    }

    /// Applies a probe's new settings; the check is the same, so phase, cadence and job stay.
    private mutating func update(_ point: ProbePoint, to wanted: ScheduledProbe, now: ContinuousClock.Instant) {
        guard var entry = entries[point] else { return }
        if entry.isLeaving {
            // The point has returned over another path.
            let due = delayed(entry, now: now)
            (entry.isLeaving, entry.retry) = (false, due)
            rounds.set(point, due: due)
        }
        let isSlowedOrHurried =
            entry.scheduled.pace != wanted.pace
            || entry.scheduled.cost.intervalFactor != wanted.cost.intervalFactor
        entry.scheduled = wanted
        if isSlowedOrHurried, entry.job == nil {
            // Rounds that are already due, and the first check, stay as they are.
            if let due = rounds.due(of: point), due > now, entry.previous < entry.base {
                let round = next(after: entry.previous, entry, now: now)
                entry.base = round.base
                rounds.set(point, due: round.due)
            }
        }
        entries[point] = entry
    }

    /// Removes a point from the job that it waits for; a job without points is abandoned.
    ///
    /// - Returns: The job if its check is running and serves no other point.
    private mutating func detach(_ point: ProbePoint, from entry: Entry) -> [UInt64] {
        guard let number = entry.job, !entry.isJudged, var job = jobs[number] else { return [] }
        entries[point]?.job = nil
        job.points.removeAll { $0 == point }
        jobs[number] = job
        guard job.points.isEmpty else { return [] }
        return removeJob(number)?.hasSlot == true ? [number] : []
    }

    /// Makes points due one after the other, transfers later; those that share a check at the same time.
    private mutating func schedule(_ points: [ProbePoint], now: ContinuousClock.Instant) {
        for (point, place) in staggered(points, now: now) {
            guard let entry = entries[point] else { continue }
            let due = entry.isTransfer ? delayed(entry, now: now) : place
            if entry.isJudged {
                entries[point]?.recheck = due
            } else if isTransferring(entry) {
                entries[point]?.retry = due
            } else {
                setDue(of: point, due: due)
            }
        }
    }

    /// Returns the scheduled points with staggered due times; points that share a check get the same time.
    func staggered(
        _ points: [ProbePoint],
        now: ContinuousClock.Instant
    ) -> [(point: ProbePoint, due: ContinuousClock.Instant)] {
        var groups: [CheckKey: Int] = [:]
        for point in points {
            guard let key = entries[point]?.key, groups[key] == nil else { continue }
            groups[key] = groups.count
        }
        let spread = Self.stagger(groups.count)
        return points.compactMap { point in
            guard let key = entries[point]?.key, let place = groups[key] else { return nil }
            return (point, now + spread / max(1, groups.count) * place)
        }
    }

    /// Moves the round that a point waits for.
    private mutating func setDue(of point: ProbePoint, due: ContinuousClock.Instant) {
        entries[point]?.previous = due
        entries[point]?.base = due
        rounds.set(point, due: due)
    }
}

/// Checks on request.
extension ProbeSchedule {
    /// The minimum time between the start of a point's last check and that of a requested one.
    private static let requestInterval: Duration = .seconds(1)

    /// Makes points due at once, staggered, but no earlier than a second after the start of their last check.
    ///
    /// A check that is running or queued counts as the answer, as does a round that is due no later than a new check
    /// would be: however frequent the requests, each check completes and is judged, and there is at most one a second.
    /// A check that is being judged does not: its result may already be published, and the client would wait in vain.
    ///
    /// - Parameter seconds: The wall clock, in seconds since 1970, which determines the day of the budgets.
    mutating func request(_ points: [ProbePoint], now: ContinuousClock.Instant, seconds: Int64) -> RequestedChecks {
        budget.update(seconds: seconds)
        var answer = RequestedChecks()
        for (point, place) in staggered(points, now: now) {
            guard let entry = entries[point] else { continue }
            let due = max(place, entry.started.map { $0 + Self.requestInterval } ?? place)
            let isComing =
                entry.isJudged
                ? (entry.recheck ?? entry.requested) != nil
                : entry.job != nil || rounds.due(of: point).map { $0 <= due } == true
            if isComing {
                answer.joined += 1
            } else if budget.allowsRequest(entry.scheduled.cost, of: entry.scheduled.probe.transfer?.bytesOnWire ?? 1) {
                entries[point]?.isRequested = true
                if entry.isJudged { entries[point]?.requested = due } else { setDue(of: point, due: due) }
                answer.started += 1
            } else {
                answer.refused += 1
            }
        }
        return answer
    }
}
