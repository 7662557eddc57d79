/// One run of a hook that has begun and not ended.
///
/// Used on the runner's loop only.
final class HookRun {
    /// What it is doing.
    enum Stage {
        /// Its file is looked at, or it waits for those before it.
        case prepared
        case program(HookProcess)
        case webhook(WebhookRun)
    }

    let number: UInt64
    let state: HookState
    let start: HookQueue<HookOffer>.Start
    var stage = Stage.prepared
    /// When the program was started or the request was begun; nil before.
    var began: SuspendingClock.Instant?

    init(number: UInt64, state: HookState, start: HookQueue<HookOffer>.Start) {
        self.number = number
        self.state = state
        self.start = start
    }

    /// Whether it counts as a program.
    var isProgram: Bool { if case .webhook = stage { false } else { true } }

    /// Ends it; nothing happens before it has begun.
    func stop() {
        switch stage {
        case .prepared: break
        case .program(let process): process.stop()
        case .webhook(let webhook): webhook.stop()
        }
    }
}

/// How a run ended, whatever it was.
struct HookRunEnd: Sendable {
    var outcome: HookCompletion.Outcome
    var output = HookOutput()
    var duration = Duration.zero
    var attempts = 1
    var httpStatus: Int?

    /// Ended before there was a process or a request.
    init(_ outcome: HookCompletion.Outcome) {
        self.outcome = outcome
        attempts = 0
    }

    init(_ end: HookProcess.End) {
        outcome = end.outcome
        output = end.output
        duration = end.duration
    }

    init(_ end: WebhookRun.End) {
        outcome = end.outcome
        output = end.output
        duration = end.duration
        attempts = end.attempts
        httpStatus = end.httpStatus
    }

    /// What it means for the runs after it.
    var ending: HookQueue<HookOffer>.Ending {
        switch outcome {
        case .succeeded: .succeeded
        case .stopped: .stopped
        default: .failed
        }
    }

    /// The report on it.
    func completion(of hook: RunnableHook, for start: HookQueue<HookOffer>.Start, delay: Duration) -> HookCompletion {
        HookCompletion(
            hook: hook.name,
            kind: hook.kind,
            trigger: start.element.event.type,
            sequence: start.element.event.sequence,
            superseded: start.superseded,
            outcome: outcome,
            delay: max(.zero, delay),
            duration: duration,
            attempts: attempts,
            httpStatus: httpStatus,
            output: output
        )
    }
}
