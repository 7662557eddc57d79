/// One run of a hook in progress.
///
/// Used only on the runner's loop.
final class HookRun {
    /// The stage of the run.
    enum Stage {
        /// The file is being checked, or waits for its turn.
        case prepared
        case program(HookProcess)
        case webhook(WebhookRun)
    }

    let number: UInt64
    let state: HookState
    let start: HookQueue<HookOffer>.Start
    var stage = Stage.prepared
    /// The start of the program or the request; nil before.
    var began: SuspendingClock.Instant?

    init(number: UInt64, state: HookState, start: HookQueue<HookOffer>.Start) {
        self.number = number
        self.state = state
        self.start = start
    }

    /// `true` if it counts as a program.
    var isProgram: Bool { if case .webhook = stage { false } else { true } }

    /// Ends the run; no effect before it has started.
    func stop() {
        switch stage {
        case .prepared: break
        case .program(let process): process.stop()
        case .webhook(let webhook): webhook.stop()
        }
    }
}
