public import EventEnvelope

/// Runs hooks: takes events, finds the hooks that want them, and has each of them run at its own pace.
///
/// Nothing that a hook does delays who delivers events, or another hook. One event loop of its own does everything here,
/// from the first hook on: a runner that has no hook and no folder has no thread.
public final class HookRunner: Sendable {
    /// - Parameters:
    ///   - settings: What to run.
    ///   - completed: Takes how each run went, on the runner's thread; it must be quick.
    public init(_ settings: HookSettings, completed: @escaping @Sendable (HookCompletion) -> Void) {
    }

    /// Takes an event, in the order of the numbers.
    ///
    /// Safe from any thread, and quick: nothing is read, matched or started before it returns.
    public func deliver(_ event: Event) {}

    /// Takes other settings into use: hooks that stay the same keep what waits for them, and what runs is let be.
    ///
    /// Safe from any thread.
    public func configure(_ settings: HookSettings) {}

    /// How each hook fares, by name.
    ///
    /// Safe from any thread, and quick.
    public var standings: [HookStanding] { [] }

    /// Starts no hook any more, waits for those that run until the grace is over, then ends them: TERM, and a second
    /// later KILL, to the whole process group. All are reported when this returns. Blocks; to be called once.
    public func stop(grace: Duration) {}
}
