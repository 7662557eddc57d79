import Synchronization

@testable import Probes

/// A transport whose checks end when the test says, and that records the checks that were started and cancelled.
final class ScriptedTransport: CheckTransport {
    struct Pending: Sendable {
        let name: String
        let completion: @Sendable (CheckReport) -> Void
    }

    private struct State {
        var pending: [Pending] = []
        var begun: [String] = []
        var cancelled: [String] = []
        var renewals: [Int] = []
        var waiter: (count: Int, action: @Sendable () -> Void)?
    }

    /// Called when a check starts; it may end the check at once.
    private let onStart: @Sendable (Pending) -> Void
    private let state = Mutex(State())

    init(onStart: @escaping @Sendable (Pending) -> Void = { _ in }) { self.onStart = onStart }

    var begun: [String] { state.withLock { $0.begun } }
    var cancelled: [String] { state.withLock { $0.cancelled } }
    /// The number of checks that had begun at each renewal of the lookups.
    var renewals: [Int] { state.withLock { $0.renewals } }
    /// The checks that began and did not end, in order.
    var pending: [Pending] { state.withLock { $0.pending } }

    func start(_ probe: Probe, completion: @escaping @Sendable (CheckReport) -> Void) -> @Sendable () -> Void {
        let name = probe.target.description
        let check = Pending(name: name, completion: completion)
        let action = state.withLock { state -> (@Sendable () -> Void)? in
            state.pending.append(check)
            state.begun.append(name)
            guard let waiter = state.waiter, state.begun.count >= waiter.count else { return nil }
            state.waiter = nil
            return waiter.action
        }
        onStart(check)
        action?()
        return { [weak self] in self?.state.withLock { $0.cancelled.append(name) } }
    }

    func renewLookups() { state.withLock { $0.renewals.append($0.begun.count) } }

    /// Returns when so many checks have begun, over all.
    func waitForBegun(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                guard state.begun.count < count else { return true }
                state.waiter = (count, { continuation.resume() })
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    /// Ends the oldest pending check of this host.
    func complete(_ host: String, with report: CheckReport = SimulatedSchedule.report()) {
        let check = state.withLock { state -> Pending? in
            let index = state.pending.firstIndex { $0.name.contains(host) }
            return index.map { state.pending.remove(at: $0) }
        }
        check?.completion(report)
    }
}

/// The checks that a judge received, and a way to wait for them.
final class JudgeLog: Sendable {
    private struct State {
        var checks: [CompletedCheck] = []
        var names: Set<String> = []
        var waiter: (isDone: @Sendable (State) -> Bool, action: @Sendable () -> Void)?
    }

    private let state = Mutex(State())

    var checks: [CompletedCheck] { state.withLock { $0.checks } }
    var names: [String] { checks.map(\.point.probe) }

    func add(_ check: CompletedCheck) {
        let action = state.withLock { state -> (@Sendable () -> Void)? in
            state.checks.append(check)
            state.names.insert(check.point.probe)
            guard let waiter = state.waiter, waiter.isDone(state) else { return nil }
            state.waiter = nil
            return waiter.action
        }
        action?()
    }

    /// Returns when the judge was called so often.
    func wait(for count: Int) async { await wait { $0.checks.count >= count } }

    /// Returns when the judge was called for so many different probes.
    func wait(forProbes count: Int) async { await wait { $0.names.count >= count } }

    private func wait(until isDone: @escaping @Sendable (State) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                guard !isDone(state) else { return true }
                state.waiter = (isDone, { continuation.resume() })
                return false
            }
            if isThere { continuation.resume() }
        }
    }
}
