internal import Synchronization

/// The facts about a server so far, and the waiters for more.
final class ServerRecord: Sendable {
    struct Facts {
        var accepted = 0
        var ended = 0
        var requests: [RecordedRequest] = []
        var serverNames: [String?] = []
        var applicationProtocols: [String?] = []
        var handshakeFailures: [String] = []
        var queries = 0
        var isShutDown = false
    }

    private struct Waiter {
        let isSatisfied: @Sendable (Facts) -> Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var facts = Facts()
        var waiters: [Int: Waiter] = [:]
        var nextWaiter = 0
    }

    private let state = Mutex(State())

    var facts: Facts { state.withLock { $0.facts } }

    @discardableResult
    func note<Result: Sendable>(_ change: @Sendable (inout Facts) -> Result) -> Result {
        let (result, ready) = state.withLock { state in
            let result = change(&state.facts)
            let facts = state.facts
            let ready = state.waiters.filter { facts.isShutDown || $0.value.isSatisfied(facts) }
            for number in ready.keys { state.waiters[number] = nil }
            return (result, ready.values.map(\.continuation))
        }
        for continuation in ready { continuation.resume() }
        return result
    }

    /// Waits until the facts satisfy a condition, the server is shut down, or the task is cancelled.
    func wait(until isSatisfied: @escaping @Sendable (Facts) -> Bool) async {
        let number = state.withLock { state in
            defer { state.nextWaiter += 1 }
            return state.nextWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isReady = state.withLock { state in
                    if state.facts.isShutDown || Task.isCancelled || isSatisfied(state.facts) { return true }
                    state.waiters[number] = Waiter(isSatisfied: isSatisfied, continuation: continuation)
                    return false
                }
                if isReady { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: number) }?.continuation.resume()
        }
    }
}
