import AgentEvents
import AgentTestKit
import Hooks
import Synchronization

/// The completions that a runner reported, and a way to wait for more of them without blocking a test thread.
final class CompletionLog: Sendable {
    private struct Waiter: Sendable {
        var number: UInt64
        var isEnough: @Sendable ([HookCompletion]) -> Bool
        var continuation: CheckedContinuation<[HookCompletion], Never>
    }

    private struct State {
        var completions: [HookCompletion] = []
        var waiters: [Waiter] = []
        var nextWaiter: UInt64 = 0
    }

    private let state = Mutex(State())

    /// The completions so far.
    var completions: [HookCompletion] { state.withLock { $0.completions } }

    /// Takes a report.
    func note(_ completion: HookCompletion) {
        let (all, done) = state.withLock { state in
            state.completions.append(completion)
            let all = state.completions
            let done = state.waiters.filter { $0.isEnough(all) }
            state.waiters.removeAll { waiter in done.contains { $0.number == waiter.number } }
            return (all, done)
        }
        for waiter in done { waiter.continuation.resume(returning: all) }
    }

    /// All reports, as soon as they are enough, or after a timeout.
    func reports(
        patience: Duration = .seconds(60),
        when isEnough: @escaping @Sendable ([HookCompletion]) -> Bool
    ) async -> [HookCompletion] {
        await withCheckedContinuation { continuation in
            let (number, now) = state.withLock { state -> (UInt64, [HookCompletion]?) in
                let number = state.nextWaiter
                state.nextWaiter += 1
                if isEnough(state.completions) { return (number, state.completions) }
                state.waiters.append(Waiter(number: number, isEnough: isEnough, continuation: continuation))
                return (number, nil)
            }
            if let now { return continuation.resume(returning: now) }
            Task { [weak self] in
                try? await Task.sleep(for: patience)
                self?.giveUp(number)
            }
        }
    }

    /// The first reports, when there are so many.
    func reports(_ count: Int) async -> [HookCompletion] { await reports { $0.count >= count } }

    private func giveUp(_ number: UInt64) {
        let (waiter, all) = state.withLock { state in
            let waiter = state.waiters.first { $0.number == number }
            state.waiters.removeAll { $0.number == number }
            return (waiter, state.completions)
        }
        waiter?.continuation.resume(returning: all)
    }
}

extension HookRunner {
    /// Stops it on a thread of its own, and returns when that is done.
    func stopped(grace: Duration = .zero) async {
        await onThread { self.stop(grace: grace) }
    }
}
