internal import ServiceLifecycle
internal import UnixSignals

/// Ends the agent on SIGINT and SIGTERM.
struct SignalService: Service {
    let driver: ReachabilityDriver

    func run() async throws {
        for await signal in await UnixSignalsSequence(trapping: .sigint, .sigterm).cancelOnGracefulShutdown() {
            driver.willStop(because: "\(signal)")
            return
        }
    }
}
