public import AgentEvents
internal import Dispatch
internal import EventLoopExecutor
internal import LinuxSupport
internal import NIOCore
internal import NIOPosix
public import Probes
internal import Synchronization

/// Runs hooks: matches events with hooks, and runs each hook at its own pace.
///
/// Hooks run independently and never block the publisher or each other. A dedicated event loop does all the work; it is
/// created with the first hook, so a runner without hooks and directories has no thread. If the system has no descriptor
/// or thread left for it, events wait, and the next one retries.
public final class HookRunner: Sendable {
    private struct State {
        var inbox = HookInbox()
        var engine: HookEngine?
        /// `true` if the loop was woken, and has not taken the items yet.
        var isAwake = false
        /// `true` while there are hooks, and no loop could be started for them.
        var lacksLoop = false
        var isStopped = false
        var grace = Duration.zero

        /// Returns the engine, unless it is already awake.
        mutating func engineToWake() -> HookEngine? {
            guard !isAwake, let engine else { return nil }
            isAwake = true
            return engine
        }
    }

    private let noticed: @Sendable (String) -> Void
    private let completed: @Sendable (HookCompletion) -> Void
    private let containment: HookContainment?
    private let isCellular: @Sendable (Vantage) -> Bool
    private let alternativeNames: @Sendable (String) -> [String]
    private let state = Mutex(State())
    /// Held while settings are delivered, so that their order is that of the calls, and while the loop starts.
    private let group = Mutex<MultiThreadedEventLoopGroup?>(nil)

    /// - Parameters:
    ///   - settings: The hooks.
    ///   - containment: The containment in which runs are limited and killed as a whole; with `nil`, their processes
    ///     are found by their parents.
    ///   - isCellular: Returns whether requests with this interface, or none, and these families may leave through a
    ///     cellular link: those that may not use one wait. Called on the runner's thread; it must be quick.
    ///   - alternativeNames: Returns the alternative names of an interface, which patterns match too. Called on the
    ///     runner's thread; it must be quick.
    ///   - noticed: Called with a sentence for the log when a file or directory has not been read within the timeout of
    ///     its hooks, on the runner's thread, and when that thread cannot be started, on the caller's; it must be quick.
    ///   - completed: Called with the report of each run, on the runner's thread; it must be quick.
    public init(
        _ settings: HookSettings,
        containment: HookContainment? = nil,
        isCellular: @escaping @Sendable (Vantage) -> Bool = { _ in false },
        alternativeNames: @escaping @Sendable (String) -> [String] = { _ in [] },
        noticed: @escaping @Sendable (String) -> Void = { _ in },
        completed: @escaping @Sendable (HookCompletion) -> Void
    ) {
        self.noticed = noticed
        self.completed = completed
        self.containment = containment
        self.isCellular = isCellular
        self.alternativeNames = alternativeNames
        configure(settings)
    }

    deinit {
        group.withLock { group in
            group?.shutdownGracefully { _ in }
        }
    }

    /// Delivers an event, in the order of the numbers.
    ///
    /// Safe to call from any thread, and quick: nothing is read, matched or started before it returns.
    public func deliver(_ event: Event) {
        let (engine, lacksLoop) = state.withLock { state -> (HookEngine?, Bool) in
            guard !state.isStopped else { return (nil, false) }
            let isWanted = state.inbox.deliver(event, at: .now)
            return (isWanted ? state.engineToWake() : nil, state.lacksLoop)
        }
        if let engine { wake(engine) }
        if lacksLoop { group.withLock { startOrWake(&$0) } }
    }

    /// Applies new settings: unchanged hooks keep their queues, and current runs continue.
    ///
    /// A changed hook restarts; of its queue, and of the runs whose programs have not started, it keeps events that it
    /// still matches. A program whose start hangs keeps its hook busy until it ends. Files in other directories than the new
    /// ones do not run any more. Safe to call from any thread.
    ///
    /// - Parameters:
    ///   - settings: The new settings.
    ///   - subjects: The targets and probes whose last states count for added hooks; `nil` for all.
    public func configure(_ settings: HookSettings, subjects: HookSubjects? = nil) {
        group.withLock { group in
            let isNeeded = state.withLock { state in
                if let subjects { state.inbox.forgetStates(except: subjects) }
                guard !state.isStopped, group != nil || state.lacksLoop || !settings.isEmpty else { return false }
                state.inbox.configure(settings)
                state.grace = settings.stopGrace
                return true
            }
            if isNeeded { startOrWake(&group) }
        }
    }

    /// Wakes the loop to take the items, and starts it first if there is none.
    private func startOrWake(_ group: inout MultiThreadedEventLoopGroup?) {
        if group == nil {
            guard !state.withLock({ $0.isStopped }), let loops = startLoop() else { return }
            let engine = HookEngine(
                gate: LoopGate(loops.next()),
                containment: containment,
                isCellular: isCellular,
                alternativeNames: alternativeNames,
                noticed: noticed,
                completed: completed
            )
            state.withLock { state in
                state.engine = engine
                state.lacksLoop = false
            }
            group = loops
        }
        if let engine = state.withLock({ $0.engineToWake() }) { wake(engine) }
    }

    /// Starts the loop; returns nil, and reports the first failure, if the system has nothing left for it.
    private func startLoop() -> MultiThreadedEventLoopGroup? {
        do throws(SystemError) {
            return try MultiThreadedEventLoopGroup(named: "hooks")
        } catch {
            let isFirst = state.withLock { state in
                defer { state.lacksLoop = true }
                return !state.lacksLoop
            }
            if isFirst { noticed("no hook runs until an event loop can be started: \(error)") }
            return nil
        }
    }

    /// The status of each hook, by name.
    ///
    /// Safe to call from any thread, and quick.
    public var statuses: [AgentStatus.HookStatus] { state.withLock { $0.engine }?.statusStore.statuses() ?? [] }

    /// `true` while the runner has its thread: from the first hook or directory until it is stopped.
    package var hasThread: Bool { group.withLock { $0 != nil } }

    /// Calls a closure on the runner's thread as soon as it is idle, which proves that it is not stuck.
    ///
    /// Safe to call from any thread. The closure is called immediately, by the caller, if there is no thread; it is not
    /// called after the end.
    public func whenFree(_ body: @escaping @Sendable () -> Void) {
        if let engine = state.withLock({ $0.engine }) { engine.gate.execute(body) } else { body() }
    }

    /// Stops starting hooks, and waits for the current ones up to the grace period.
    ///
    /// Hooks that are still running then get SIGTERM, and SIGKILL a second later, for the whole process group. All ends
    /// are reported before this method returns. Blocks; must be called only once.
    ///
    /// - Parameter grace: The grace period; nil for that of the settings.
    public func stop(grace: Duration? = nil) {
        let (engine, standard) = state.withLock { state -> (HookEngine?, Duration) in
            guard !state.isStopped else { return (nil, .zero) }
            state.isStopped = true
            return (state.engine, state.grace)
        }
        guard let engine else { return }
        let grace = grace ?? standard
        let isOver = DispatchSemaphore(value: 0)
        let prober = Mutex<Prober?>(nil)
        engine.gate.execute {
            engine.stop(grace: grace) { last in
                prober.withLock { $0 = last }
                isOver.signal()
            }
        }
        isOver.wait()
        prober.withLock { $0 }?.shutDownAndWait()
        let loops = group.withLock { group in
            defer { group = nil }
            return group
        }
        engine.gate.close()
        loops?.shutDown()
    }

    /// Wakes the loop to take the items.
    private func wake(_ engine: HookEngine) {
        engine.gate.execute {
            let taken = self.state.withLock { state in
                state.isAwake = false
                return state.inbox.takeAll()
            }
            engine.take(taken.items, lost: taken.lost)
        }
    }
}
