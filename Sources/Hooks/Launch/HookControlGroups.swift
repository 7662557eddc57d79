import CSpawn
import Glibc
import Synchronization

/// The control groups of hooks: one for each run, below one for all of them, where the service manager delegates.
///
/// A process of a run cannot leave its group, so that ending the group ends all of it; and what hooks use up is bounded
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
    /// The number of attempts to enable the controllers before the first run, and the pause between two of them.
    private static let attempts = 20
    private static let pause: UInt32 = 5000  // µs

    /// The group of all hooks.
    let group: ControlGroup
    /// The delegated group; `nil` if the controllers of the hooks' group are enabled already.
    private let top: ControlGroup?
    private struct State {
        var limits: HookLimits
        /// The controllers that are not enabled: there are no limits of their kind.
        var missingControllers: [String]
        var runs: UInt64 = 0
        /// Groups in which processes were left behind.
        var leftBehind: [ControlGroup] = []
    }
    private let state: Mutex<State>

    /// Makes the groups, and moves the agent into its own.
    ///
    /// - Throws: ``Unavailable`` where nothing is delegated, or the kernel cannot end a group (before Linux 5.14).
    convenience init(_ limits: HookLimits) throws(Unavailable) {
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
        let group = top.child("hooks")
        // A group that has processes can have no limits for those in it.
        let agent = top.child(Self.agentName)
        try Self.check(agent.make(), "make \(agent.path)")
        if own != agent { try Self.check(agent.set("cgroup.procs", "\(getpid())"), "move the agent to \(agent.path)") }
        try Self.check(group.make(), "make \(group.path)")
        // Those of an agent that has ended.
        for name in Self.names(in: group.path) { _ = group.child(name).remove() }
        self.init(in: group, below: top, limits)
        for _ in 1..<Self.attempts {
            guard enableControllers() == EBUSY else { break }
            usleep(Self.pause)
        }
    }

    /// Uses an existing group for all hooks.
    ///
    /// - Parameter top: The group above it, which enables its controllers; `nil` if they are enabled.
    init(in group: ControlGroup, below top: ControlGroup? = nil, _ limits: HookLimits) {
        self.group = group
        self.top = top
        state = Mutex(State(limits: limits, missingControllers: top == nil ? [] : Self.controllers))
        enableControllers()
        apply(limits)
    }

    /// The controllers that are not enabled; without one there are no limits of its kind, and everything else works.
    var missingControllers: [String] { state.withLock { $0.missingControllers } }

    /// Enables the missing controllers, and applies the limits if there are new ones.
    ///
    /// A thread of the agent that ends while the agent is moved stays in the delegated group for a moment, which until then
    /// cannot have limits for the groups in it (EBUSY).
    ///
    /// - Returns: 0, or the system's number of the last failure.
    @discardableResult
    private func enableControllers() -> Int32 {
        guard let top else { return 0 }
        var failure: Int32 = 0
        let limits = state.withLock { state -> HookLimits? in
            let missing = state.missingControllers.filter { controller in
                for group in [top, group] {
                    let number = group.set("cgroup.subtree_control", "+\(controller)")
                    guard number == 0 else {
                        failure = number
                        return true
                    }
                }
                return false
            }
            defer { state.missingControllers = missing }
            return missing == state.missingControllers ? nil : state.limits
        }
        if let limits { apply(limits) }
        return failure
    }

    /// Takes other limits into use, for the runs that there are too.
    func apply(_ limits: HookLimits) {
        state.withLock { $0.limits = limits }
        Self.write(limits, to: group)
        for name in Self.names(in: group.path) { Self.write(limits.half, to: group.child(name)) }
    }

    /// Makes the group of a run; nil when the kernel makes none.
    func begin() -> ControlGroup? {
        enableControllers()
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
    ///
    /// - Returns: Whether no group is left. Otherwise ``removeEmpty()`` is to be called when a process has ended.
    func end(_ run: ControlGroup) -> Bool {
        // Noted before it is tried: a process that ends in between has its SIGCHLD find the group here.
        state.withLock { $0.leftBehind.append(run) }
        return removeEmpty()
    }

    /// Removes the groups in which all that was left behind has ended.
    ///
    /// Safe from any thread, and quick.
    ///
    /// - Returns: Whether no group is left.
    @discardableResult
    func removeEmpty() -> Bool {
        state.withLock { state in
            state.leftBehind.removeAll { $0.remove() }
            return state.leftBehind.isEmpty
        }
    }

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

/// A control group (cgroups(7), version 2), by its folder.
struct ControlGroup: Sendable, Hashable {
    let path: String

    /// Makes the folder; one that is there already will do.
    ///
    /// - Returns: 0, or the system's number.
    func make() -> Int32 { mkdir(path, 0o755) == 0 || errno == EEXIST ? 0 : errno }

    /// Removes the folder; `false` while a process is in the group.
    func remove() -> Bool { rmdir(path) == 0 || errno == ENOENT }

    /// The group of a name in this one.
    func child(_ name: String) -> ControlGroup { ControlGroup(path: "\(path)/\(name)") }

    /// Writes one of the group's files.
    ///
    /// - Returns: 0, or the system's number.
    func set(_ file: String, _ value: String) -> Int32 {
        let descriptor = open("\(path)/\(file)", O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        return write(descriptor, value, value.utf8.count) == value.utf8.count ? 0 : errno
    }

    /// Returns true when the group has a file.
    func has(_ file: String) -> Bool { access("\(path)/\(file)", F_OK) == 0 }

    /// `true` if the service manager has given the group to the processes in it (systemd's `Delegate=`).
    var isDelegated: Bool {
        reachagent_is_marked(path, "user.delegate") || reachagent_is_marked(path, "trusted.delegate")
    }

    /// `true` if a process in the group has not ended, or when that cannot be found out.
    var isPopulated: Bool {
        guard let text = text("cgroup.events") else { return has("cgroup.procs") }
        return text.split(separator: "\n").contains("populated 1")
    }

    /// Signals each process in the group; those that begin meanwhile may be missed.
    func signal(_ signal: Int32) {
        for line in (text("cgroup.procs") ?? "").split(separator: "\n") {
            if let number = pid_t(line), number > 0 { Glibc.kill(number, signal) }
        }
    }

    /// Ends each process in the group, and those that they are starting.
    ///
    /// - Returns: Whether the kernel does.
    func kill() -> Bool { set("cgroup.kill", "1") == 0 }

    private func text(_ file: String) -> String? {
        let descriptor = open("\(path)/\(file)", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var text: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(descriptor, &chunk, chunk.count)
            guard count > 0 else { return count == 0 ? String(decoding: text, as: UTF8.self) : nil }
            text += chunk[..<count]
        }
    }
}

extension ControlGroup {
    /// The group that this process is in; nil where there is no version 2.
    static var own: ControlGroup? {
        let mounts = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"]
        // Version 1 has no such file.
        guard let mount = mounts.first(where: { ControlGroup(path: $0).has("cgroup.controllers") }) else { return nil }
        let text = ControlGroup(path: "/proc/self").text("cgroup") ?? ""
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("0::/") }) else { return nil }
        let path = line.dropFirst(3)
        return ControlGroup(path: path == "/" ? mount : mount + path)
    }

    /// The group that this one is in.
    var parent: ControlGroup? {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return nil }
        return ControlGroup(path: String(path[..<slash]))
    }

    /// The last part of the path.
    var name: Substring { path[(path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex)...] }
}
