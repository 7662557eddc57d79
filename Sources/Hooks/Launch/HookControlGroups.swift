import Glibc
import Synchronization

/// The control groups of hooks: one for each run, below one for all of them, where the service manager delegates.
///
/// What a run starts cannot leave its group, so that ending the group ends all of it; and what hooks use up is bounded
/// apart from the agent.
///
///     …/reachagent.service          delegated by the service manager
///         agent                     the agent
///         hooks                     the limits of all hooks together
///             run-1                 one run, with half of these limits
final class HookControlGroups: Sendable {
    /// The reason that there are no such groups.
    struct Unavailable: Error, Sendable, Hashable, CustomStringConvertible {
        let description: String
    }

    private static let agentName = "agent"
    private static let controllers = ["pids", "memory"]

    /// The group of all hooks.
    let group: ControlGroup
    private struct State {
        var limits: HookLimits
        var runs: UInt64 = 0
        /// Groups in which processes were left behind.
        var leftBehind: [ControlGroup] = []
    }
    private let state: Mutex<State>

    /// Makes the groups, and moves the agent into its own.
    ///
    /// - Throws: ``Unavailable`` where nothing is delegated, or the kernel cannot end a group (before Linux 5.14).
    init(_ limits: HookLimits) throws(Unavailable) {
        guard let own = ControlGroup.own else {
            throw Unavailable(description: "there are no control groups (version 2)")
        }
        let top: ControlGroup
        if own.isDelegated {
            top = own
        } else if own.name == Self.agentName, let parent = own.parent, parent.isDelegated {
            // The service manager has put the agent there itself (DelegateSubgroup=).
            top = parent
        } else {
            throw Unavailable(description: "\(own.path) is not delegated")
        }
        guard top.has("cgroup.kill") else { throw Unavailable(description: "this kernel cannot end a control group") }
        group = top.child("hooks")
        state = Mutex(State(limits: limits))
        // A group that has processes can have no limits for those in it.
        let agent = top.child(Self.agentName)
        try Self.check(agent.make(), "make \(agent.path)")
        if own != agent { try Self.check(agent.set("cgroup.procs", "\(getpid())"), "move the agent to \(agent.path)") }
        try Self.check(group.make(), "make \(group.path)")
        // Without a controller there are no limits of its kind; everything else works.
        for controller in Self.controllers {
            _ = top.set("cgroup.subtree_control", "+\(controller)")
            _ = group.set("cgroup.subtree_control", "+\(controller)")
        }
        // Those of an agent that has ended.
        for name in Self.names(in: group.path) { _ = group.child(name).remove() }
        apply(limits)
    }

    /// Takes other limits into use, for the runs that there are too.
    func apply(_ limits: HookLimits) {
        state.withLock { $0.limits = limits }
        Self.write(limits, to: group)
        for name in Self.names(in: group.path) { Self.write(limits.half, to: group.child(name)) }
    }

    /// Makes the group of a run; nil when the kernel makes none.
    func begin() -> ControlGroup? {
        removeEmpty()
        let (run, limits) = state.withLock { state in
            state.runs += 1
            return (group.child("run-\(getpid())-\(state.runs)"), state.limits)
        }
        guard run.make() == 0 else { return nil }
        Self.write(limits.half, to: run)
        // A run that has lost a process for its memory is ended as a whole.
        _ = run.set("memory.oom.group", "1")
        return run
    }

    /// Removes the group of a run that is over; one with processes that it has left behind goes when they have ended.
    func end(_ run: ControlGroup) {
        if !run.remove() { state.withLock { $0.leftBehind.append(run) } }
    }

    /// Removes the groups in which all that was left behind has ended.
    func removeEmpty() { state.withLock { state in state.leftBehind.removeAll { $0.remove() } } }

    private static func write(_ limits: HookLimits, to group: ControlGroup) {
        _ = group.set("pids.max", "\(limits.tasks)")
        _ = group.set("memory.max", "\(limits.memory)")
    }

    private static func check(_ number: Int32, _ action: String) throws(Unavailable) {
        guard number != 0 else { return }
        throw Unavailable(description: "cannot \(action): \(SystemText.of(number))")
    }

    private static func names(in folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasPrefix("run-") { names.append(name) }
        }
        return names
    }
}
