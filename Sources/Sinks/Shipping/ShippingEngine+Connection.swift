internal import AgentEvents

// The connection to the broker: the conditions for opening it, and the consequences of its end.
extension ShippingEngine {
    /// True while the transport is connecting or connected.
    var isOnline: Bool {
        switch connection {
        case .connecting, .connected: true
        case .waiting, .stopped: false
        }
    }

    var isConnected: Bool { if case .connected = connection { true } else { false } }

    mutating func take(_ state: MachineState, _ now: Moment) {
        let (former, formerReachable) = (machine, lastReachable)
        machine = state
        if state.via.isReachable { lastReachable = state }
        // The agent knows whether the path is metered, and reports it in its answer to a report.
        reportDue = now.instant
        retain(state.payload)
        let isAnotherPath = state.isOnAnotherPath(than: former)
        let isBetter = state.connectivity == .full && former.connectivity != .full
        switch connection {
        case .waiting(let time) where isAnotherPath || isBetter: bringForward(time, now)
        case .connecting, .connected:
            // The connection uses an address that may no longer exist; TCP would need minutes to notice.
            // One that outlasts a time without a path is kept if the same path returns.
            guard state.via.isReachable, let formerReachable, state.isOnAnotherPath(than: formerReachable)
            else { break }
            disconnect(.pathChanged, retryAt: now.instant + jitter.duration(upTo: Self.spread), now)
        case .waiting, .stopped: break
        }
    }

    /// Requests the present budget, and the next attempt soon: `[metered]` or the content of a file with credentials may
    /// have changed, and neither is part of the settings.
    mutating func takeReload(_ now: Moment) {
        reportDue = now.instant
        if case .waiting(let time) = connection { bringForward(time, now) }
    }

    /// Brings the next attempt forward, but not that of a whole fleet to the same moment.
    private mutating func bringForward(_ attempt: ContinuousClock.Instant, _ now: Moment) {
        let soon = now.instant + jitter.duration(upTo: Self.spread)
        connection = .waiting(until: attempt > now.instant ? min(attempt, soon) : soon)
    }

    mutating func take(_ event: TransportEvent, _ now: Moment) {
        switch (event, connection) {
        case (.connected(let stored), .connecting):
            let stored = stored.flatMap(StreamPosition.init)
            // Two machines would alternately continue each other's events without end.
            guard histories.accept(stored?.epoch) else {
                return connectionEnded(.otherMachine(settings.device), now)
            }
            connection = .connected(until: nil)
            connectedSince = now.instant
            setState(.connected, nil, now)
            publishState()
            resume(from: stored)
        case (.acknowledged(let sequence), .connected):
            guard queue.answer(sequence, .acknowledged) != nil else { break }
            hasShipped = true
            status.acknowledgedTime = now.time
            answered(now)
        case (.refused(let sequence, let failure), .connected):
            refuse(sequence, failure, now)
        case (.limited(let failure), .connected):
            effects.append(.warn(failure))
            // The reason of a rejected event becomes that of the connection's end.
            if !queue.isRefused { setState(.connected, failure, now) }
        case (.disconnected(let failure), .connecting), (.disconnected(let failure), .connected):
            connectionEnded(failure, now)
        default: break
        }
    }

    /// Handles a connection that ended, or is to be ended, and schedules the next attempt.
    mutating func connectionEnded(_ failure: TransportFailure, _ now: Moment) {
        judgeSuccess(failure, now)
        disconnect(failure, retryAt: now.instant + retries.next(&jitter), now)
    }

    /// Resets the backoff after a connection that has shipped, or has lasted although there was nothing to ship.
    ///
    /// A broker that accepts only some events is not a success, nor are two machines with the same name that disturb
    /// each other.
    private mutating func judgeSuccess(_ end: TransportFailure?, _ now: Moment) {
        let hasLasted = connectedSince.map { $0.duration(to: now.instant) >= Self.lastingConnection } ?? false
        if hasShipped || hasLasted, !queue.isRefused, end?.code != TransportFailure.conflict { retries.reset() }
        (hasShipped, connectedSince) = (false, nil)
    }

    /// Ends the connection, and everything that depends on it.
    mutating func disconnect(_ reason: TransportFailure?, retryAt time: ContinuousClock.Instant, _ now: Moment) {
        judgeSuccess(reason, now)
        effects.append(.disconnect)
        keepLacking()
        unsubscribe()
        saveLast(now)
        connection = .waiting(until: time)
        setState(.waiting, reason, now)
    }

    /// Empties the queue, and keeps the events that the broker may lack although it has later ones.
    mutating func keepLacking() {
        let left = queue.removeAll()
        // Until the position is verified, the queue does not contain the events of the previous connection.
        if course == .shipping { lacking = left }
    }

    private mutating func refuse(_ sequence: UInt64, _ failure: TransportFailure, _ now: Moment) {
        switch failure.code {
        case "broker_too_large":
            // The event itself is at fault, permanently.
            guard let entry = queue.answer(sequence, .abandoned) else { return }
            lose(entry, failure, now)
            setState(.connected, failure, now)
            answered(now)
        case TransportFailure.conflict:
            // The broker has an unexpected newest event, such as the same event from the previous connection: query it
            // again.
            if queue.answer(sequence, .abandoned) != nil { connectionEnded(failure, now) }
        default:
            // The broker is at fault: wait for the events in flight, and then end the connection (``settle(_:)``).
            guard queue.answer(sequence, .refused) != nil else { return }
            setState(.connected, failure, now)
            answered(now)
        }
    }

    private mutating func answered(_ now: Moment) {
        if let last = queue.removeDone() {
            advance(to: last.message.sequence, last.time, now)
            // The broker has the events between the late ones, and those up to its former newest one.
            if last.isLate, queue.entries.first?.isLate != true, let late {
                advance(to: late.position.sequence, late.position.time, now)
            }
            // The events seen after it are not for this broker.
            if queue.isEmpty, let seen { advance(to: seen.sequence, seen.time, now) }
            // After a late event, the next one is sent, and the broker's newest event no longer shows that it arrived.
            if last.isLate { save(now) } else { requestSave(now) }
        }
        saveSkipped(now)
        connection = .connected(until: queue.isAwaitingAnswer ? now.instant + Self.answerLimit : nil)
    }

    private mutating func lose(_ entry: ShippingQueue.Entry, _ failure: TransportFailure, _ now: Moment) {
        let sequence = entry.message.sequence
        effects.append(.lost(sequence...sequence, failure))
        reportDue = now.instant
        // The agent publishes the loss as an event, which would be rejected next, and so on without end.
        guard !entry.isAboutSinks else { return }
        if let last = losses.last, last.lastSequence + 1 == sequence, last.code == failure.code {
            losses[losses.count - 1].lastSequence = sequence
        } else if losses.count < Self.maximumLosses {
            losses.append(
                SinkLoss(sink: settings.name, firstSequence: sequence, lastSequence: sequence, code: failure.code)
            )
        }
    }

    /// Hands over another state, also without a connection: the transport starts the next one with the last state.
    mutating func retain(_ payload: [UInt8]) {
        guard payload != retained else { return }
        retained = payload
        publishState()
    }

    private mutating func publishState() {
        if keepsState { effects.append(.publishState(retained)) }
    }

    /// Sets the visible state of the connection.
    mutating func setState(_ state: SinkStatus.State, _ reason: TransportFailure?, _ now: Moment) {
        guard status.state != state || status.code != reason?.code || status.detail != reason?.detail else { return }
        // An outage starts once, however often the sink retries.
        if (status.state == .connected) != (state == .connected) { status.since = now.time }
        (status.state, status.code, status.detail) = (state, reason?.code, reason?.detail)
        reportDue = now.instant
    }
}

extension MachineState {
    fileprivate func isOnAnotherPath(than former: MachineState) -> Bool {
        via != former.via || interface != former.interface
    }
}

extension TransportFailure {
    /// The code of a broker whose events of this device do not come from this machine.
    static let conflict = "broker_conflict"
    /// The code of a sink that has used up the budget of the metered uplinks.
    static let budgetExhausted = "budget_exhausted"

    static func otherMachine(_ device: String) -> TransportFailure {
        TransportFailure(
            code: conflict,
            detail: """
                another machine ships as '\(device)': give each a 'device' of its own, and restart reachagent-sink on the one \
                that keeps this name
                """
        )
    }

    static let pathChanged = TransportFailure(code: "path_changed", detail: "the path has changed: reconnecting")
    static let journalRestarted = TransportFailure(
        code: "journal_restarted",
        detail: "the agent restarted its numbering"
    )
    static let silent = TransportFailure(code: "broker_timeout", detail: "the broker does not answer")
    static let expired = TransportFailure(code: "events_expired", detail: "the journal does not have them any more")

    static func expired(_ numbers: ClosedRange<UInt64>) -> TransportFailure {
        TransportFailure(
            code: expired.code,
            detail: """
                the journal does not have events \(numbers.lowerBound) to \(numbers.upperBound) any more: those of 'types' are \
                lost to the broker
                """
        )
    }
}

/// Random numbers from a seed, so that a run can be reproduced.
struct Jitter: Sendable, Hashable {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// Returns a number from 0 to 1 (SplitMix64).
    mutating func next() -> Double {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return Double((value ^ (value >> 31)) >> 11) / Double(1 << 53)
    }

    /// Returns a duration from zero up to a limit.
    mutating func duration(upTo limit: Duration) -> Duration { limit * next() }
}

/// The wait before the next connection attempt: exponential backoff with full jitter, so that a fleet does not
/// reconnect all at once.
///
/// See https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/.
struct RetrySchedule: Sendable, Hashable {
    static let shortest = Duration.seconds(1)
    static let longest = Duration.seconds(300)

    private var failures = 0

    /// Returns the wait after one more failure.
    mutating func next(_ jitter: inout Jitter) -> Duration {
        // Nine doublings exceed the longest wait.
        let ceiling = min(Self.longest, Self.shortest * (1 << min(failures, 9)))
        failures += 1
        return jitter.duration(upTo: ceiling)
    }

    /// Restarts with the shortest wait.
    mutating func reset() { failures = 0 }
}
