/// The limits of all programs of hooks together, where the service manager delegates control groups.
///
/// One run may use half of it, so that it leaves something to the others.
public struct HookLimits: Sendable, Hashable {
    /// The number of processes and threads.
    public var tasks: Int
    /// The memory in bytes.
    public var memory: Int

    /// Limits of processes and memory.
    public init(tasks: Int = 512, memory: Int = 256 << 20) {
        self.tasks = tasks
        self.memory = memory
    }

    /// The limits of one run.
    var half: HookLimits { HookLimits(tasks: max(1, tasks / 2), memory: memory / 2) }
}
