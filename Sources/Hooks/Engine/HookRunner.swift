internal import Dispatch
public import EventEnvelope
internal import EventLoopExecutor
internal import NIOCore
internal import NIOPosix
internal import Probes
internal import Synchronization

/// Runs hooks: takes events, finds the hooks that want them, and has each of them run at its own pace.
///
/// Nothing that a hook does delays who delivers events, or another hook. One event loop of its own does everything here,
/// from the first hook on: a runner that has no hook and no folder has no thread.
public final class HookRunner: Sendable {
    private struct State {
        var inbox = HookInbox()
        var engine: HookEngine?
        /// Whether the loop has been told that there is something, and has not taken it yet.
        var isAwake = false
        var isStopped = false
        var grace = Duration.zero

        /// The engine, unless it will come anyway.
        mutating func engineToWake() -> HookEngine? {
            guard !isAwake, let engine else { return nil }
            isAwake = true
            return engine
        }
    }

    private let completed: @Sendable (HookCompletion) -> Void
    private let state = Mutex(State())
    /// Held while settings are taken, so that they are in the order of the calls.
    private let group = Mutex<MultiThreadedEventLoopGroup?>(nil)

    /// - Parameters:
    ///   - settings: What to run.
    ///   - completed: Takes how each run went, on the runner's thread; it must be quick.
    public init(
        _ settings: HookSettings,
        completed: @escaping @Sendable (HookCompletion) -> Void
    ) {
        self.completed = completed
        configure(settings)
    }

    deinit {
        group.withLock { group in
            group?.shutdownGracefully { _ in }
        }
    }

    /// Takes an event, in the order of the numbers.
    ///
    /// Safe from any thread, and quick: nothing is read, matched or started before it returns.
    public func deliver(_ event: Event) {
        let engine = state.withLock { state -> HookEngine? in
            guard !state.isStopped, state.inbox.deliver(event, at: .now) else { return nil }
            return state.engineToWake()
        }
        if let engine { wake(engine) }
    }

    /// Takes other settings into use: hooks that stay the same keep what waits for them, and what runs is let be.
    ///
    /// A hook that has changed begins anew; of what waits for it, it keeps what it still wants. Safe from any thread.
    public func configure(_ settings: HookSettings) {
        group.withLock { group in
            guard !state.withLock({ $0.isStopped }), group != nil || !settings.isEmpty else { return }
            let loops = group ?? MultiThreadedEventLoopGroup(numberOfThreads: 1)
            if group == nil {
                let engine = HookEngine(gate: LoopGate(loops.next()), completed: completed)
                state.withLock { $0.engine = engine }
            }
            group = loops
            let engine = state.withLock { state -> HookEngine? in
                state.inbox.configure(settings)
                state.grace = settings.stopGrace
                return state.engineToWake()
            }
            if let engine { wake(engine) }
        }
    }

    /// How each hook fares, by name.
    ///
    /// Safe from any thread, and quick.
    public var standings: [HookStanding] { state.withLock { $0.engine }?.board.standings ?? [] }

    /// Whether it has its thread: from the first hook or folder until it was stopped.
    package var hasThread: Bool { group.withLock { $0 != nil } }

    /// Has the runner's thread call a closure as soon as it is free: a proof that it is not stuck.
    ///
    /// Safe from any thread. Without a thread it is called at once, by the caller; after the end it is not called.
    public func whenFree(_ body: @escaping @Sendable () -> Void) {
        if let engine = state.withLock({ $0.engine }) { engine.gate.execute(body) } else { body() }
    }

    /// Starts no hook any more, and waits for those that run until the grace is over.
    ///
    /// Then it ends them: TERM, and a second later KILL, to the whole process group. All are reported when this returns.
    /// Blocks; to be called once.
    ///
    /// - Parameter grace: How long they may go on; nil for what the settings say.
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
        try? loops?.syncShutdownGracefully()
    }

    /// Has the loop take what there is.
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
