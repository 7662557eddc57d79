internal import ServiceLifecycle
internal import UnixSignals

/// Ends the agent: on SIGINT and SIGTERM, or when a part of it asks to.
///
/// It is the one service that returns by itself, which makes the group stop the others in order.
struct StopService: Service {
    let driver: ReachabilityDriver
    let requests: StopRequests

    func run() async throws {
        let reason = await withTaskGroup(of: String?.self) { group in
            group.addTask {
                for await signal in await UnixSignalsSequence(trapping: .sigint, .sigterm) { return "\(signal)" }
                return nil
            }
            group.addTask {
                for await reason in requests.reasons { return reason }
                return nil
            }
            let first = await group.next()
            group.cancelAll()
            return first ?? nil
        }
        if let reason { driver.willStop(because: reason) }
    }
}

/// How a part of the agent asks for its end.
struct StopRequests: Sendable {
    let reasons: AsyncStream<String>
    private let continuation: AsyncStream<String>.Continuation

    init() {
        (reasons, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1))
    }

    /// Asks for the end; only the first reason counts.
    func stop(because reason: String) { continuation.yield(reason) }
}
