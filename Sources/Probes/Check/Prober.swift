internal import NIOCore
internal import NIOPosix
internal import Synchronization

/// Makes checks.
///
/// A prober owns its threads: one event loop by default, which sleeps while there is nothing to do. Make one and keep it;
/// any number of checks may run at the same time. End it with ``shutDown()`` or ``shutDownAndWait()``.
public final class Prober: Sendable {
    private struct State {
        var runs: [ObjectIdentifier: CheckRun] = [:]
        var isShutDown = false
    }

    private let group: MultiThreadedEventLoopGroup
    private let services: CheckServices
    private let state = Mutex(State())

    /// Starts the event loops.
    ///
    /// - Parameters:
    ///   - threads: How many event loops, at least one; a check stays on one of them.
    ///   - resolver: Who looks names up.
    public init(threads: Int = 1, resolver: any HostResolver = SystemResolver()) {
        group = MultiThreadedEventLoopGroup(numberOfThreads: max(1, threads))
        services = CheckServices(resolver: resolver)
    }

    deinit {
        if beginShutDown() { group.shutdownGracefully { _ in } }
    }

    /// Makes one check, and returns when it is over.
    ///
    /// It never takes longer than the probe's timeout. When the task is cancelled, the check ends at once with the code
    /// `cancelled`.
    public func check(_ probe: Probe) async -> CheckReport {
        let cancellation = Cancellation()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                cancellation.set(start(probe) { continuation.resume(returning: $0) })
            }
        } onCancel: {
            cancellation.cancel()
        }
    }

    /// Has every event loop come to rest once, and then calls a closure: a proof that none is stuck.
    ///
    /// Safe from any thread. The closure is called on an event loop; never after the end.
    public func whenFree(_ body: @escaping @Sendable () -> Void) {
        guard !state.withLock({ $0.isShutDown }) else { return }
        Self.pass(Array(group.makeIterator())[...], then: body)
    }

    /// From one event loop to the next.
    private static func pass(_ loops: ArraySlice<any EventLoop>, then body: @escaping @Sendable () -> Void) {
        guard let loop = loops.first else { return body() }
        let others = loops.dropFirst()
        loop.execute { others.isEmpty ? body() : pass(others, then: body) }
    }

    /// Begins a check, and returns at once.
    ///
    /// - Parameters:
    ///   - probe: What to check.
    ///   - completion: Called once, on one of the prober's threads, which it must not block; it is where a command without
    ///     Swift concurrency signals a semaphore.
    /// - Returns: What ends the check at once; it may be called on any thread, and any number of times.
    @discardableResult
    public func start(
        _ probe: Probe,
        completion: @escaping @Sendable (CheckReport) -> Void
    ) -> @Sendable () -> Void {
        let loop = group.next()
        let run = CheckRun(probe, on: loop, services: services) { [weak self] run, report in
            self?.forget(ObjectIdentifier(run))
            completion(report)
        }
        let isAccepted = state.withLock { state in
            if state.isShutDown { return false }
            state.runs[ObjectIdentifier(run)] = run
            return true
        }
        guard isAccepted else {
            run.cancel()
            return {}
        }
        loop.execute { run.start() }
        return { [weak run] in
            guard let run else { return }
            loop.execute { run.cancel() }
        }
    }

    /// Cancels all checks and ends the threads.
    public func shutDown() async {
        guard beginShutDown() else { return }
        try? await group.shutdownGracefully()
    }

    /// Cancels all checks and ends the threads; blocks the calling thread until that is done.
    public func shutDownAndWait() {
        guard beginShutDown() else { return }
        try? group.syncShutdownGracefully()
    }

    private func beginShutDown() -> Bool {
        let runs = state.withLock { state -> [CheckRun]? in
            guard !state.isShutDown else { return nil }
            state.isShutDown = true
            return Array(state.runs.values)
        }
        services.evaluations.end()
        for run in runs ?? [] { run.loop.execute { run.cancel() } }
        return runs != nil
    }

    private func forget(_ identity: ObjectIdentifier) {
        state.withLock { _ = $0.runs.removeValue(forKey: identity) }
    }
}

/// A task's cancellation that may come before there is anything to cancel.
private final class Cancellation: Sendable {
    private struct State {
        var action: (@Sendable () -> Void)?
        var isCancelled = false
    }

    private let state = Mutex(State())

    func set(_ action: @escaping @Sendable () -> Void) {
        let isCancelled = state.withLock { state in
            state.action = action
            return state.isCancelled
        }
        if isCancelled { action() }
    }

    func cancel() {
        let action = state.withLock { state in
            state.isCancelled = true
            return state.action
        }
        action?()
    }
}
