package import NIOCore

/// A running program. All callbacks on `loop`.
package final class HookProcess: Sendable {
    /// How a program ended.
    package struct End: Sendable, Hashable {
        /// The outcome: succeeded, exited, signaled, timedOut, notStarted or stopped.
        package var outcome: HookCompletion.Outcome
        /// What it wrote.
        package var output: HookOutput
        /// From the start to the end.
        package var duration: Duration
    }

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - launch: What to start.
    ///   - launcher: The path of `reachagent-hook-launcher`; nil when there is none.
    ///   - loop: Where everything here happens, and where this is called from.
    ///   - ended: Called once, on the loop, and never before this has returned.
    package static func start(
        _ launch: HookLaunch,
        launcher: String?,
        on loop: any EventLoop,
        ended: @escaping @Sendable (End) -> Void
    ) -> HookProcess {
        HookProcess()
    }

    /// Ends it: TERM to the group, a second later KILL; `ended` is called with `.stopped` unless it had ended already.
    ///
    /// Safe from any thread.
    package func stop() {}
}
