internal import AgentEvents

// The consequences of an input, which follow from the state and the time.
extension ShippingEngine {
    /// Carries out everything that is due.
    mutating func settle(_ now: Moment) {
        endWhatIsOver(now)
        noteAbsence(now)
        noteOldestWaiting(now)
        let obstacle = obstacle(now)
        if let obstacle { wait(for: obstacle, now) } else { connectIfDue(now) }
        if case .reopening(let time) = subscription, time <= now.instant { reopen() }
        if obstacle == nil { publish(now) }
        if let due = cursorDue, due <= now.instant { save(now) }
        if let due = reportDue, due <= now.instant {
            (reportDue, lastReport) = (nil, now.instant)
            appendReports()
        }
        if obstacle?.reason?.code == TransportFailure.budgetExhausted {
            // The reply to the first report of a day contains the day's budget.
            reportDue = reportDue ?? now.instant + now.time.untilTomorrow + jitter.duration(upTo: .seconds(60))
        }
        deadline = nextDeadline(now)
    }

    /// Ends a connection that has been silent for too long, or whose broker rejects events, once all are answered.
    private mutating func endWhatIsOver(_ now: Moment) {
        switch connection {
        case .connecting(let limit) where limit <= now.instant: connectionEnded(.silent, now)
        case .connected(let limit?) where limit <= now.instant: connectionEnded(.silent, now)
        case .connected where queue.isRefused && !queue.isAwaitingAnswer:
            connectionEnded(.init(code: status.code ?? "broker_denied", detail: status.detail ?? ""), now)
        default: break
        }
    }

    // MARK: - Conditions for a connection

    /// An obstacle to a connection.
    private enum Obstacle {
        /// There is no path, or it is not known yet, as in the machine's own status.
        case noPath
        case failure(TransportFailure)

        /// The reason in the status; `nil` for a missing path, which is no property of the sink.
        var reason: TransportFailure? { if case .failure(let failure) = self { failure } else { nil } }
    }

    /// Returns the obstacle to a connection; `nil` if the sink may be connected now.
    private func obstacle(_ now: Moment) -> Obstacle? {
        if allowance.isMetered, allowance.budget == 0 {
            return .failure(
                .init(
                    code: TransportFailure.budgetExhausted,
                    detail: "the budget of the metered uplinks is used up until the day ends (UTC)"
                )
            )
        }
        if machine.connectivity == .portal {
            return .failure(
                .init(code: "captive_portal", detail: "a captive portal answers in the place of the broker")
            )
        }
        guard isExcluded, !isOverdue(now) else { return nil }
        guard machine.via.isReachable else { return .noPath }
        return .failure(
            .init(code: "medium_excluded", detail: "the path leads over '\(machine.via)', and 'when' does not list it")
        )
    }

    private var isExcluded: Bool { !settings.media.isEmpty && !settings.media.contains(machine.via.rawValue) }

    private func isOverdue(_ now: Moment) -> Bool {
        guard let remaining = remainingPatience(now) else { return false }
        return remaining <= .zero
    }

    /// Returns the time until the oldest event no longer waits for another medium.
    private func remainingPatience(_ now: Moment) -> Duration? {
        guard let oldestWaiting, let limit = settings.maximumAge, machine.via.isReachable else { return nil }
        return .seconds(limit) - oldestWaiting.since.duration(to: now.instant)
    }

    private mutating func wait(for obstacle: Obstacle, _ now: Moment) {
        if isConnected, queue.isAwaitingAnswer { return }
        if isOnline {
            disconnect(obstacle.reason, retryAt: now.instant + jitter.duration(upTo: Self.spread), now)
        } else {
            setState(.waiting, obstacle.reason, now)
        }
        if isExcluded, settings.maximumAge != nil, oldestWaiting == nil { peek() }
    }

    private mutating func connectIfDue(_ now: Moment) {
        guard case .waiting(let time) = connection, time <= now.instant else { return }
        unsubscribe()
        connection = .connecting(until: now.instant + Self.connectLimit)
        // The present path is the connection's own; without one it is that of the next state.
        lastReachable = machine.via.isReachable ? machine : nil
        let isConflict = status.code == TransportFailure.conflict
        let lasting =
            isConflict ? status.detail.map { TransportFailure(code: TransportFailure.conflict, detail: $0) } : nil
        setState(.connecting, lasting, now)
        publishPresence()
        effects.append(.connect)
    }

    // MARK: - Publishing

    private mutating func publish(_ now: Moment) {
        guard case .connected(let limit) = connection, !queue.isRefused else { return }
        let window = min(max(1, settings.window), ShippingQueue.maximumCount)
        while !(allowance.isMetered && allowance.budget == 0), let message = queue.nextToSend(window: window) {
            effects.append(.publish(message))
            spend(UInt64(message.payload.count + message.subject.utf8.count + message.id.utf8.count))
        }
        if limit == nil, queue.isAwaitingAnswer { connection = .connected(until: now.instant + Self.answerLimit) }
    }

    /// Counts bytes that the agent will subtract from the budget with the next report.
    mutating func spend(_ bytes: UInt64) {
        bytesSinceReport += bytes
        reduceBudget(by: bytes)
    }

    /// Subtracts bytes that the agent does not know of from the budget of its last answer.
    mutating func reduceBudget(by bytes: UInt64) {
        guard let budget = allowance.budget else { return }
        allowance.budget = budget - min(budget, bytes)
    }

    private mutating func noteOldestWaiting(_ now: Moment) {
        if let first = queue.entries.first {
            noteOldestWaiting(first.message.sequence, first.time, now)
        } else if course == .shipping, let newest, seen?.sequence ?? 0 >= newest {
            oldestWaiting = nil
        }
    }

    // MARK: - Time

    private func nextDeadline(_ now: Moment) -> ContinuousClock.Instant? {
        var moments = [cursorDue, reportDue]
        if case .reopening(let time) = subscription { moments.append(time) }
        if case .away(let time) = agent { moments.append(time) }
        switch connection {
        case .waiting(let time):
            // Every obstacle is removed by an input, except the age of the waiting events.
            if obstacle(now) == nil {
                moments.append(time)
            } else if isExcluded, let remaining = remainingPatience(now), remaining > .zero {
                moments.append(now.instant + remaining)
            }
        case .connecting(let limit): moments.append(limit)
        case .connected(let limit): moments.append(limit)
        case .stopped: return nil
        }
        return moments.compactMap(\.self).min()
    }
}

extension Timestamp {
    /// The time until midnight (UTC).
    fileprivate var untilTomorrow: Duration {
        let day: Int64 = 86_400_000_000
        let sinceMidnight = microsecondsSince1970 % day
        return .microseconds(day - (sinceMidnight < 0 ? sinceMidnight + day : sinceMidnight))
    }
}
