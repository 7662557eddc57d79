internal import Dispatch
internal import ServiceLifecycle

/// A part of the agent that runs on threads of its own, as a service of the group that ends it.
///
/// ``AgentServices`` starts the parts one after the other, so that none runs when one before it cannot; the group stops
/// them in the reverse order. `stop` may block, so it has a thread; when the deadline of the shutdown has passed, it is
/// waited for no longer.
struct AgentPart: Service {
    /// What it is, for the log.
    let name: String
    let start: @Sendable () throws -> Void
    let stop: @Sendable () -> Void

    func run() async {
        // Cancelled: the deadline has passed. It is to be stopped all the same.
        try? await gracefulShutdown()
        let waiting = StoppingPart()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                waiting.begin(continuation)
                DispatchQueue(label: "reachagent.stop").async { [stop] in
                    stop()
                    waiting.end()
                }
            }
        } onCancel: {
            waiting.end()
        }
    }
}
