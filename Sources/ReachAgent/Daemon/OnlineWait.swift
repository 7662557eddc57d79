internal import AgentEvents
internal import ForeignText
internal import StateClient
internal import Synchronization

/// Waits until a condition holds, whether the agent is there yet or not.
final class OnlineWait: Sendable {
    /// The end of the wait.
    enum End: Sendable {
        /// The condition holds for this state.
        case online(ReachabilityState)
        /// It did not in time; why not.
        case timedOut(OnlineCondition.Failure)
        /// It makes no sense to wait.
        case failed(ClientError)
    }

    /// The knowledge so far.
    private struct Progress {
        var states = OnlineCondition.States()
        /// The error that keeps the connection from being made.
        var error: ClientError?
        var hasConnected = false
    }

    private let condition: OnlineCondition
    private let client: StateClient
    private let progress = Mutex(Progress())

    init(_ condition: OnlineCondition, _ client: StateClient) {
        self.condition = condition
        self.client = client
    }

    /// Waits.
    ///
    /// - Parameter timeout: At most so long; zero for ever.
    func run(timeout: Duration) async -> End {
        await withTaskGroup(of: End?.self) { group in
            group.addTask { await self.follow() }
            if timeout > .zero {
                group.addTask {
                    try? await Task.sleep(for: timeout)
                    return nil
                }
            }
            let end = await group.next() ?? nil
            group.cancelAll()
            return end ?? .timedOut(self.failure())
        }
    }

    private func follow() async -> End? {
        let subscription = StateSubscription(types: ["reachability.changed", "target.changed"])
        do throws(ClientError) {
            for try await item in client.events(subscription) {
                if let state = take(item) { return .online(state) }
            }
            return nil
        } catch {
            return .failed(error)
        }
    }

    private func take(_ item: StreamItem) -> ReachabilityState? {
        progress.withLock { progress in
            switch item {
            case .connected:
                progress.hasConnected = true
                progress.error = nil
            case .interrupted(let error, _): progress.error = error
            case .snapshot, .event, .missed, .restarted: break
            }
            progress.states.take(item)
            return try? condition.check(progress.states)
        }
    }

    /// Returns the reason that the condition does not hold.
    private func failure() -> OnlineCondition.Failure {
        let progress = progress.withLock { $0 }
        if let error = progress.error {
            return OnlineCondition.Failure(code: "no_agent", text: ForeignText.line(error.description))
        }
        guard progress.hasConnected else {
            let path = ForeignText.line(client.location.path)
            return OnlineCondition.Failure(code: "no_agent", text: "the agent at \(path) has not answered")
        }
        do throws(OnlineCondition.Failure) {
            _ = try condition.check(progress.states)
            return OnlineCondition.Failure(code: "timed_out", text: "the time was over")
        } catch {
            guard let since = progress.states.since(condition.target) else { return error }
            return OnlineCondition.Failure(code: error.code, text: "\(error.text), since \(since.localDescription)")
        }
    }
}
