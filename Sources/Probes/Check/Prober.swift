public import CheckResults
internal import EventLoopExecutor
internal import LinuxSupport
internal import NIOCore
internal import NIOPosix
internal import Synchronization

/// Runs checks.
///
/// A prober owns its threads: one event loop by default, which sleeps while idle. Create one and keep it; any number of
/// checks may run at the same time. End it with ``shutDown()`` or ``shutDownAndWait()``.
public final class Prober: Sendable {
    private struct State {
        var runs: [ObjectIdentifier: CheckRun] = [:]
        var isShutDown = false
        var nextGate = 0
    }

    private let group: MultiThreadedEventLoopGroup
    /// One for each event loop; closed before the loops end, because resolver threads may outlive them.
    private let gates: [LoopGate]
    private let services: CheckServices
    private let state = Mutex(State())

    /// Starts the event loops.
    ///
    /// - Parameters:
    ///   - threads: The number of event loops, at least one; a check stays on one of them.
    ///   - resolver: The resolver for host names.
    public init(threads: Int = 1, resolver: any HostResolver = SystemResolver()) {
        group = MultiThreadedEventLoopGroup(named: "probe-loop", numberOfThreads: max(1, threads))
        gates = group.makeIterator().map { LoopGate($0) }
        services = CheckServices(resolver: resolver)
    }

    deinit {
        if beginShutDown() { group.shutdownGracefully { _ in } }
    }

    /// Runs a check, and returns its report.
    ///
    /// A check never takes longer than its timeout: the `timeoutInterval` of the request or its serializer, or without
    /// one the probe's ``Probe/timeout``. When the task is cancelled, the check ends at once with the code `cancelled`.
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

    /// Calls a closure after every event loop has been idle once, which proves that none is stuck.
    ///
    /// Safe to call from any thread. The closure runs on an event loop; never after the shutdown.
    public func whenFree(_ body: @escaping @Sendable () -> Void) {
        Self.pass(gates[...], then: body)
    }

    /// Hops from one event loop to the next.
    private static func pass(_ gates: ArraySlice<LoopGate>, then body: @escaping @Sendable () -> Void) {
        guard let gate = gates.first else { return body() }
        let others = gates.dropFirst()
        gate.execute { others.isEmpty ? body() : pass(others, then: body) }
    }

    /// Starts a check, and returns at once.
    ///
    /// - Parameters:
    ///   - probe: The check to run.
    ///   - completion: Called once, on one of the prober's threads, which it must not block; a command without Swift
    ///     concurrency signals a semaphore in it. After the shutdown it is called with the code `cancelled`, on a thread
    ///     of its own, or on the caller's if the system cannot create that thread.
    /// - Returns: A closure that cancels the check at once; it may be called from any thread, and any number of times.
    @discardableResult
    public func start(
        _ probe: Probe,
        completion: @escaping @Sendable (CheckReport) -> Void
    ) -> @Sendable () -> Void {
        let gate = nextGate()
        let run = CheckRun(probe, on: gate, services: services) { [weak self] run, report in
            self?.forget(ObjectIdentifier(run))
            guard let review = probe.review, report.verdict != .ok else { return completion(report) }
            Self.review(report, review, completion)
        }
        let isAccepted = state.withLock { state in
            if state.isShutDown { return false }
            state.runs[ObjectIdentifier(run)] = run
            return true
        }
        guard isAccepted else {
            Self.cancel(run)
            return {}
        }
        gate.execute { run.start() }
        return { [weak run] in
            guard let run else { return }
            gate.execute { run.cancel() }
        }
    }

    /// Ends running transfers whose path has changed with the code `path_changed`; a resumable transfer waits for its
    /// next path instead, and one that already waits retries at once.
    ///
    /// Safe to call from any thread.
    ///
    /// - Parameter interfaces: The interfaces whose paths have changed, old and new; empty for all of them.
    public func pathChanged(interfaces: Set<String> = []) {
        for run in transfers { run.gate.execute { run.pathChanged(interfaces) } }
    }

    /// Looks up the names of checks that start later by new queries, not by ones that are running; see
    /// ``HostResolver/renewLookups()``.
    ///
    /// Safe to call from any thread. Running checks continue.
    public func renewLookups() { services.resolver.renewLookups() }

    /// Ends all running transfers at once with the code `transfer_yielded`, because the machine's own traffic needs the
    /// link.
    ///
    /// Safe to call from any thread. Other checks continue.
    ///
    /// - Parameter evidence: The evidence for the finding.
    public func yieldTransfers(evidence: String) {
        for run in transfers { run.gate.execute { run.yieldTransfer(evidence: evidence) } }
    }

    private var transfers: [CheckRun] {
        state.withLock { state in state.runs.values.filter { $0.probe.transfer != nil } }
    }

    /// Returns the gate of the next event loop, in round-robin order.
    private func nextGate() -> LoopGate {
        state.withLock { state in
            defer { state.nextGate = (state.nextGate + 1) % gates.count }
            return gates[state.nextGate]
        }
    }

    private static func review(
        _ report: CheckReport,
        _ review: @escaping @Sendable (CheckReport) -> CheckReport,
        _ completion: @escaping @Sendable (CheckReport) -> Void
    ) {
        do throws(SystemError) {
            _ = try NamedThread.start("probe-review") { completion(review(report)) }
        } catch {
            completion(report)
        }
    }

    /// Cancels a check whose event loop has ended.
    private static func cancel(_ run: CheckRun) {
        do throws(SystemError) {
            // The caller may hold a lock that the completion takes.
            try NamedThread.start("probe-cancel") { run.cancel() }
        } catch {
            run.cancel()
        }
    }

    /// Cancels all checks and ends the event loops; returns when they have ended, to every caller.
    ///
    /// A thread that looks up a name, evaluates a response or reviews a report ends with its current work.
    public func shutDown() async {
        beginShutDown()
        try? await group.shutdownGracefully()
    }

    /// Cancels all checks and ends the event loops; blocks the calling thread until they have ended, as ``shutDown()``
    /// does.
    ///
    /// Must not be called from a completion, which runs on an event loop.
    public func shutDownAndWait() {
        beginShutDown()
        try? group.syncShutdownGracefully()
    }

    /// Rejects new checks and cancels the running ones; false if an earlier call has done so.
    @discardableResult
    private func beginShutDown() -> Bool {
        let isFirst = state.withLock { state in
            guard !state.isShutDown else { return false }
            state.isShutDown = true
            // Under the lock: another caller must not end the event loops before they have been told to cancel.
            for run in state.runs.values { run.gate.execute { run.cancel() } }
            for gate in gates { gate.close() }
            return true
        }
        services.evaluations.end()
        return isFirst
    }

    private func forget(_ identity: ObjectIdentifier) {
        state.withLock { _ = $0.runs.removeValue(forKey: identity) }
    }
}

/// A task's cancellation, which may precede the check that it cancels.
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

/// The resources that the checks of one prober share.
final class CheckServices: Sendable {
    let resolver: any HostResolver
    let contexts = TLSContexts()
    let interfaces = LocalInterfaces.shared
    let evaluations = EvaluationThreads()

    init(resolver: any HostResolver) { self.resolver = resolver }
}
