/// The schedule of resynchronizations after lost messages.
///
/// Pure. Attempts back off, so that neither a kernel that keeps failing nor a flood that keeps overrunning the buffer
/// makes the listener spin; but they never end.
struct LossRecovery {
    private static let shortestPause: Duration = .milliseconds(20)
    /// The maximum pause, after a failure and after a success: the view may be incorrect that long.
    private static let longestPause: Duration = .seconds(10)

    /// The reason the view may be incorrect; `nil` while it is correct.
    private(set) var code: Overrun.Code?
    /// The number of attempts since the loss.
    private(set) var attempts = 0
    private var notBefore: ContinuousClock.Instant?

    var isPending: Bool { code != nil }

    /// The time of the next attempt: `nil` when none is pending, or when it may start at once.
    var retryDue: ContinuousClock.Instant? { isPending ? notBefore : nil }

    func isDue(_ now: ContinuousClock.Instant) -> Bool { notBefore.map { now >= $0 } ?? true }

    /// Records a loss.
    ///
    /// The first reason is kept until the view is correct again.
    mutating func note(_ code: Overrun.Code) { self.code = self.code ?? code }

    mutating func begin() { attempts += 1 }

    /// Records a successful resynchronization.
    ///
    /// The delay before the next one is proportional to the duration of this one, which may have been that of a suspend
    /// or of a stopped process rather than of work.
    mutating func succeeded(at now: ContinuousClock.Instant, took duration: Duration) {
        code = nil
        attempts = 0
        notBefore = now.advanced(by: min(max(Self.shortestPause, duration * 4), Self.longestPause))
    }

    /// Records a failed attempt; returns the delay before the next.
    mutating func failed(at now: ContinuousClock.Instant) -> Duration {
        let pause = min(Self.shortestPause * (1 << min(attempts, 12)), Self.longestPause)
        notBefore = now.advanced(by: pause)
        return pause
    }
}

/// Reports of differences, and recovery from losses.
extension MonitorCore {
    /// Reports the snapshot if it differs from the last one.
    mutating func publish(_ next: NetworkSnapshot, _ observed: ObservedTime) {
        let changes = snapshot.map { NetworkChange.explaining(next.diff(from: $0), by: hints) }
        guard changes?.isEmpty != true else { return }
        snapshot = next
        report(.update(NetworkUpdate(snapshot: next, changes: changes ?? [], observed: observed)))
    }

    /// Publishes the kernel's current state.
    ///
    /// A failure counts as a loss: the known state may be out of date.
    mutating func publishCurrentState(_ observed: ObservedTime) {
        do throws(NetlinkError) {
            var next = try currentSnapshot()
            // Data left stale by a loss is still stale: one message makes nothing else certain.
            if loss.isPending { next.isSynchronized = false }
            publish(next, observed)
        } catch {
            let code: Overrun.Code = error.cause == .dumpInterrupted ? .dumpInterrupted : .requestFailed
            loss.note(code)
            report(.overrun(Overrun(code: code, detail: error.description, dropped: 0, observed: observed)))
        }
    }

    /// Handles a loss during the first snapshot: it is reported, and everything is read again at once.
    mutating func recoverFromStart() {
        let detail = "messages were lost while the first view was read"
        loss.note(.bufferFull)
        if let code = loss.code {
            report(.overrun(Overrun(code: code, detail: detail, dropped: source.takeDrops(), observed: clock())))
        }
        recover()
    }

    /// Makes one attempt to read everything again.
    ///
    /// On failure the last known view stays, marked as uncertain, and the next attempt follows later.
    mutating func recover() {
        guard let code = loss.code else { return }
        loss.begin()
        let started = clock()
        do throws(NetlinkError) {
            try emptyQueue()
            try readEverything()
            guard try drainQuietly() else {
                throw NetlinkError(operation: "read everything again", cause: .dumpInterrupted)
            }
            let next = try currentSnapshot()
            finishRecovery(from: code, since: started, with: next)
        } catch {
            let now = clock()
            let pause = loss.failed(at: now.instant)
            report(.resynchronizationFailed(error, retryIn: pause))
            publishUncertainty(now)
        }
    }

    /// Publishes the last known view, marked as uncertain.
    mutating func publishUncertainty(_ observed: ObservedTime) {
        guard var uncertain = snapshot else { return }
        uncertain.isSynchronized = false
        publish(uncertain, observed)
    }

    private mutating func finishRecovery(
        from code: Overrun.Code,
        since started: ObservedTime,
        with next: NetworkSnapshot
    ) {
        let now = clock()
        let duration = started.instant.duration(to: now.instant)
        let corrections = snapshot.map { next.diff(from: $0) } ?? []
        statistics.resynchronizations += 1
        report(
            .resynchronized(
                Resynchronization(
                    code: code,
                    attempts: loss.attempts,
                    duration: duration,
                    corrections: corrections.filter { $0.code != .synchronizationChanged },
                    observed: now
                )
            )
        )
        loss.succeeded(at: now.instant, took: duration)
        confirmation.note(.all, at: now.instant)
        publish(next, now)
    }
}
