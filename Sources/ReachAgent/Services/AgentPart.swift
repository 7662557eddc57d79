internal import Dispatch
internal import ServiceLifecycle

/// A part of the agent that runs on threads of its own, as a service: started by `start`, ended by `stop`.
///
/// The group starts its services in order and shuts them down in the reverse one. `stop` may block, so it has a thread;
/// when the deadline of the shutdown has passed, it is waited for no longer.
struct AgentPart: Service {
    /// What it is, for the log.
    let name: String
    let start: @Sendable () throws -> Void
    let stop: @Sendable () -> Void

    func run() async throws {
        try start()
        // Cancelled: the deadline has passed, or another part could not start. Either way it is to be stopped.
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
