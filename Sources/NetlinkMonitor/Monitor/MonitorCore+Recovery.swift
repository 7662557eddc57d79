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
            // Data left stale by a failed resynchronization is still stale: one message makes nothing else certain.
            if loss.attempts > 0 { next.isSynchronized = false }
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
            if isSourceBroken {
                try source.reopen(watching: watched)
                isSourceBroken = false
            }
            try discardQueue()
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
            guard var uncertain = snapshot else { return }
            uncertain.isSynchronized = false
            publish(uncertain, now)
        }
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
