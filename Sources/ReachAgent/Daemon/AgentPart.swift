internal import LinuxSupport

/// A part of the agent that runs on threads of its own.
struct AgentPart: Sendable {
    /// The name for the log.
    let name: String
    let start: @Sendable () throws -> Void
    /// Ends the part, and returns when it has ended; it may block.
    let stop: @Sendable () -> Void
}

extension [AgentPart] {
    /// Starts the parts in order.
    ///
    /// - Throws: The error of the first part that cannot start. Those before it have been stopped; none after it runs.
    func start(stoppingWithin patience: Duration, whenLate: (String) -> Void) throws {
        for (index, part) in enumerated() {
            do {
                try part.start()
            } catch {
                Array(prefix(index)).stop(within: patience, whenLate: whenLate)
                throw error
            }
        }
    }

    /// Stops the parts in reverse order, each after the one before it has ended, until the deadline.
    ///
    /// If a part hangs, the others are still stopped, in the same order: each gets a moment in which it can end, so
    /// that the last events still reach the journal.
    ///
    /// - Parameters:
    ///   - patience: The timeout of all parts together.
    ///   - whenLate: Called with the name of each part that did not stop in time.
    func stop(within patience: Duration, whenLate: (String) -> Void) {
        let deadline = ContinuousClock.now + patience
        for part in reversed() where !part.hasStopped(by: Swift.max(deadline, .now + .milliseconds(50))) {
            whenLate(part.name)
        }
    }
}

extension AgentPart {
    /// Stops the part on a thread of its own; `false` when it has not ended by the deadline.
    fileprivate func hasStopped(by deadline: ContinuousClock.Instant) -> Bool {
        let hasEnded = Monitor(false)
        do throws(SystemError) {
            try NamedThread.start("part-stop") { [stop] in
                stop()
                hasEnded.signal()
            }
        } catch {
            // Without a thread to spare it is stopped here, within the timeouts of its own.
            stop()
            return true
        }
        return hasEnded.waitForSignal(within: ContinuousClock.now.duration(to: deadline))
    }
}
