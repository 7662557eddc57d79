public import CheckResults
internal import EventLoopExecutor
internal import ForeignText
internal import FoundationEssentials
internal import LinuxSupport
internal import NIOCore
internal import NIOPosix
internal import Synchronization

/// Runs checks.
///
/// A prober owns its threads: one event loop by default, which sleeps while idle, from the first check on. Create one and
/// keep it; any number of checks may run at the same time. End it with ``shutDown()`` or ``shutDownAndWait()``. A prober that
/// is released ends its checks, too, with the code `cancelled`.
public final class Prober: Sendable {
    private struct State {
        var runs: [ObjectIdentifier: CheckRun] = [:]
        /// The event loops, once there are any.
        var loops: ProberLoops?
        var isShutDown = false
        var nextGate = 0
    }

    private let threads: Int
    private let startReview: TargetThreads.StartThread
    private let services: CheckServices
    private let state = Mutex(State())

    /// Creates a prober without starting its event loops.
    ///
    /// - Parameters:
    ///   - threads: The number of event loops, at least one; a check stays on one of them.
    ///   - resolver: The resolver for host names.
    public convenience init(threads: Int = 1, resolver: any HostResolver = SystemResolver()) {
        self.init(threads: threads, resolver: resolver) { name, body throws(SystemError) in
            try NamedThread.start(name, body)
        }
    }

    /// Creates a prober without starting its event loops.
    ///
    /// - Parameter startReview: Starts the thread of a review.
    init(threads: Int = 1, resolver: any HostResolver, startReview: @escaping TargetThreads.StartThread) {
        self.threads = max(1, threads)
        self.startReview = startReview
        services = CheckServices(resolver: resolver)
    }

    deinit {
        if !state.withLock({ $0.isShutDown }) { beginShutDown()?.shutdownGracefully { _ in } }
    }

    /// Runs a check, and returns its report.
    ///
    /// A check takes no longer than its timeout: the `timeoutInterval` of the request or its serializer, or without one
    /// the probe's ``Probe/timeout``. A check whose process was paused at that moment continues for as long as its end is
    /// late, at most for the timeout once more. When the task is cancelled, the check ends at once with the code `cancelled`.
    ///
    /// A program that may be short of descriptors uses ``start(_:completion:)``: Swift's runtime ends a process that has
    /// none left when its first task runs.
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
    /// Safe to call from any thread. The closure runs on an event loop, or on the caller's thread before the first check;
    /// never after the shutdown.
    package func whenFree(_ body: @escaping @Sendable () -> Void) {
        let (gates, isShutDown) = state.withLock { ($0.loops?.gates ?? [], $0.isShutDown) }
        if !isShutDown { Self.pass(gates[...], then: body) }
    }

    /// Hops from one event loop to the next.
    private static func pass(_ gates: ArraySlice<LoopGate>, then body: @escaping @Sendable () -> Void) {
        guard let gate = gates.first else { return body() }
        let others = gates.dropFirst()
        gate.execute { others.isEmpty ? body() : pass(others, then: body) }
    }

    /// Starts a check, and returns at once.
    ///
    /// The first check starts the event loops. If the system has no descriptor or thread left for them, the check ends
    /// with the code `resources_exhausted`, and the next one retries.
    ///
    /// - Parameters:
    ///   - probe: The check to run.
    ///   - completion: Called once, on one of the prober's threads, which it must not block; a command without Swift
    ///     concurrency signals a semaphore in it. After the shutdown, or without event loops, it is called on a thread of
    ///     its own, or on the caller's if the system cannot create that thread.
    /// - Returns: A closure that cancels the check at once; it may be called from any thread, and any number of times.
    @discardableResult
    public func start(
        _ probe: Probe,
        completion: @escaping @Sendable (CheckReport) -> Void
    ) -> @Sendable () -> Void {
        let gate: LoopGate
        do throws(WireFailure) {
            gate = try nextGate(for: probe)
        } catch {
            Self.report(error.finding, on: probe, completion)
            return {}
        }
        let run = CheckRun(probe, on: gate, services: services) { [weak self, startReview] run, report in
            self?.forget(ObjectIdentifier(run))
            guard let review = probe.review, report.verdict != .ok else { return completion(report) }
            Self.review(report, review, startReview, completion)
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
    /// - Parameters:
    ///   - interfaces: The interfaces whose paths have changed, old and new; empty for all of them.
    ///   - families: The families whose paths have changed; a connection of the other one continues.
    public func pathChanged(interfaces: Set<String> = [], families: AddressFamilies = .any) {
        for run in transfers { run.gate.execute { run.pathChanged(interfaces, families) } }
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
    ///
    /// - Throws: A finding if there are no event loops.
    private func nextGate(for probe: Probe) throws(WireFailure) -> LoopGate {
        try state.withLock { (state) throws(WireFailure) in
            let loops =
                if let started = state.loops { started } else {
                    try startLoops(for: probe, isShutDown: state.isShutDown)
                }
            state.loops = loops
            defer { state.nextGate = (state.nextGate + 1) % loops.gates.count }
            return loops.gates[state.nextGate]
        }
    }

    private func startLoops(for probe: Probe, isShutDown: Bool) throws(WireFailure) -> ProberLoops {
        let subject = probe.target.shown
        guard !isShutDown else {
            throw WireFailure(finding: Finding(.cancelled, subject: subject, evidence: "the check was cancelled"))
        }
        do throws(SystemError) {
            return try ProberLoops(threads: threads)
        } catch {
            let evidence = SystemFinding.evidence(error.errno, operation: "start an event loop")
            throw WireFailure(finding: Finding(.resourcesExhausted, subject: subject, evidence: evidence))
        }
    }

    /// Reports a check that has not been started.
    private static func report(
        _ finding: Finding,
        on probe: Probe,
        _ completion: @escaping @Sendable (CheckReport) -> Void
    ) {
        let report = CheckReport(
            target: finding.subject,
            verdict: .unknown(finding.code, .resolve),
            findings: [finding],
            hops: [],
            started: Date(),
            duration: .zero
        )
        detach("probe-report") { completion(report) }
    }

    private static func review(
        _ report: CheckReport,
        _ review: @escaping @Sendable (CheckReport) -> CheckReport,
        _ startReview: TargetThreads.StartThread,
        _ completion: @escaping @Sendable (CheckReport) -> Void
    ) {
        do throws(SystemError) {
            try startReview("probe-review") { completion(review(report)) }
        } catch {
            completion(unreviewed(report, because: error))
        }
    }

    /// Returns the report of a check that cannot be reviewed: the review might have found that its failure is none of the
    /// target's.
    private static func unreviewed(_ report: CheckReport, because error: SystemError) -> CheckReport {
        guard case .failed(_, let phase) = report.verdict else { return report }
        var report = report
        let evidence = "start a thread for the review: \(error)"
        report.findings.insert(Finding(.resourcesExhausted, subject: report.target, evidence: evidence), at: 0)
        report.verdict = .unknown(.resourcesExhausted, phase)
        return report
    }

    /// Cancels a check whose event loop has ended.
    private static func cancel(_ run: CheckRun) { detach("probe-cancel") { run.cancel() } }

    /// Calls a completion on a thread of its own, as the caller may hold a lock that it takes; without a thread it is called
    /// here.
    private static func detach(_ name: StaticString, _ body: @escaping @Sendable () -> Void) {
        do throws(SystemError) { try NamedThread.start(name, body) } catch { body() }
    }

    /// Cancels all checks and ends the event loops; returns when they have ended, to every caller.
    ///
    /// A thread that looks up a name, reads a file, evaluates a response or reviews a report ends with its current work.
    public func shutDown() async {
        try? await beginShutDown()?.shutdownGracefully()
    }

    /// Cancels all checks and ends the event loops; blocks the calling thread until they have ended, as ``shutDown()``
    /// does, but at most for a second: without a thread to spare, their end cannot be reported.
    ///
    /// Must not be called from a completion, which runs on an event loop.
    public func shutDownAndWait() {
        beginShutDown()?.shutDown()
    }

    /// Rejects new checks and cancels the running ones; returns the event loops to end, to every caller.
    private func beginShutDown() -> MultiThreadedEventLoopGroup? {
        let loops = state.withLock { state in
            guard !state.isShutDown else { return state.loops }
            state.isShutDown = true
            // Under the lock: another caller must not end the event loops before they have been told to cancel.
            for run in state.runs.values { run.gate.execute { run.cancel() } }
            for gate in state.loops?.gates ?? [] { gate.close() }
            return state.loops
        }
        services.end()
        return loops?.group
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
    let interfaces: LocalInterfaces
    /// The threads that evaluate certificates and bodies.
    let evaluations: TargetThreads
    /// The threads that read the files of request bodies, some of which may hang with their disks.
    let files = TargetThreads("probe-file", maximumThreads: 8)

    init(
        resolver: any HostResolver,
        interfaces: LocalInterfaces = .shared,
        evaluations: TargetThreads = TargetThreads("evaluation", maximumThreads: 2)
    ) {
        self.resolver = resolver
        self.interfaces = interfaces
        self.evaluations = evaluations
    }

    /// Cancels a check's budget, and drops its queued work.
    func cancel(_ budget: WorkBudget, of target: String) {
        evaluations.cancel(budget, of: target)
        files.cancel(budget, of: target)
    }

    /// Ends the threads after their current work.
    func end() {
        evaluations.end()
        files.end()
    }
}
