internal import NIOCore

/// One run of a hook in progress.
///
/// Used only on the runner's loop.
final class HookRun {
    /// The stage of the run.
    enum Stage {
        /// The file is being checked, or the program is waiting for its turn to start.
        case prepared
        case program(HookProcess)
        case webhook(WebhookRun)
    }

    /// The place of a run among the programs that run at a time.
    enum Place {
        /// None, because it is a webhook or has ended.
        case none
        /// One of the maximum number.
        case program
        /// None while the check of its file, or its start, hangs.
        case hanging
        /// None yet again, after the check of its file has ended.
        case answered
    }

    let number: UInt64
    let state: HookState
    let start: HookQueue<HookOffer>.Start
    var stage = Stage.prepared
    var place = Place.none
    /// The time at which the program or the request started; nil before that.
    var began: SuspendingClock.Instant?
    /// The end of the time after which a program that is still being checked or started is reported.
    var patience: Scheduled<Void>?
    /// The end of the time after which such a program gives up its place.
    var yielding: Scheduled<Void>?
    /// `true` if that time is over, and the program is still being checked or started.
    var isOverdue = false
    /// `true` if its hook has another definition since, whose figures are not those of this run.
    private(set) var isObsolete = false
    /// `true` if its hook is removed or has another definition since: a program that has not started must not start.
    var isUnwanted: Bool { isObsolete || state.isGone }

    init(number: UInt64, state: HookState, start: HookQueue<HookOffer>.Start) {
        self.number = number
        self.state = state
        self.start = start
    }

    /// Cancels the timers of the check and the start.
    func cancelTimers() {
        patience?.cancel()
        yielding?.cancel()
    }

    /// Ends the run; no effect before it has started.
    func stop() {
        switch stage {
        case .prepared: break
        case .program(let process): process.stop()
        case .webhook(let webhook): webhook.stop()
        }
    }

    /// Ends the run if it is a webhook that waits for the network, or for its secret before the first attempt: neither is
    /// worth the grace period.
    func stopIfWaiting() { if case .webhook(let webhook) = stage { webhook.stopIfWaiting() } }

    /// Suspends or resumes the run if it is a webhook.
    func networkChanged(_ network: RequestNetwork) {
        if case .webhook(let webhook) = stage { webhook.networkChanged(network) }
    }

    /// Notes that its hook has another definition; a webhook sends no more attempts.
    func becomeObsolete() {
        isObsolete = true
        if case .webhook(let webhook) = stage { webhook.endBeforeNextAttempt() }
    }
}
