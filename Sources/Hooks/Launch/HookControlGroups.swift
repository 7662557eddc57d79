import CSpawn
import Glibc
import LinuxSupport
import Synchronization

/// The control groups of hooks, if the service manager delegates them: one for each run, below one for all runs.
///
/// A process of a run cannot leave its group, so killing the group ends the whole run. The resources of hooks are
/// limited separately from those of the agent.
///
///     …/reachagent.service          delegated by the service manager
///         agent                     the agent
///         hooks                     the limits of all hooks together
///             run-1                 one run, with half of these limits
final class HookControlGroups: Sendable {
    /// The reason that control groups are unavailable.
    struct Unavailable: Error, Sendable, Hashable, CustomStringConvertible {
        let description: String
    }

    private static let agentName = "agent"
    private static let controllers = ["pids", "memory"]
    /// The maximum number of attempts to enable the controllers before the first run, and the pause between two
    /// attempts.
    private static let attempts = 20
    private static let pause: UInt32 = 5000  // µs

    /// The group of all hooks.
    let group: ControlGroup
    /// The delegated group; `nil` if the controllers of the hooks' group are enabled already.
    private let top: ControlGroup?
    private struct State {
        var limits: HookLimits
        /// The controllers that are not enabled, and whose limits are therefore not applied.
        var missingControllers: [String]
        var runs: UInt64 = 0
        /// The groups of ended runs that may still contain processes.
        var leftBehind: [ControlGroup] = []
    }
    private let state: Mutex<State>

    /// Creates the groups, and moves the agent into its own.
    ///
    /// - Throws: ``Unavailable`` if no group is delegated, or the kernel cannot kill a group (before Linux 5.14).
    convenience init(_ limits: HookLimits) throws(Unavailable) {
        guard let own = ControlGroup.own else {
            throw Unavailable(description: "there are no control groups (version 2)")
        }
        let top: ControlGroup
        if own.isDelegated {
            top = own
        } else if own.name == Self.agentName, let parent = own.parent, parent.isDelegated {
            // The service manager has already moved the agent there (DelegateSubgroup=).
            top = parent
        } else {
            throw Unavailable(description: "\(own.path) is not delegated")
        }
        guard top.has("cgroup.kill") else { throw Unavailable(description: "this kernel cannot end a control group") }
        let group = top.child("hooks")
        // A group with processes of its own cannot enable controllers for its child groups.
        let agent = top.child(Self.agentName)
        try Self.check(agent.make(), "make \(agent.path)")
        if own != agent { try Self.check(agent.set("cgroup.procs", "\(getpid())"), "move the agent to \(agent.path)") }
        try Self.check(group.make(), "make \(group.path)")
        // Groups of a former agent.
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
        if top == nil { apply(limits) } else { enableControllers() }
    }

    /// The controllers that are not enabled; only their limits are missing, everything else works.
    var missingControllers: [String] { state.withLock { $0.missingControllers } }

    /// Enables the missing controllers, and applies the limits if there are new ones.
    ///
    /// A thread of the agent that ends while the agent is moved stays in the delegated group for a moment; until it is
    /// gone, that group cannot enable controllers for its child groups (EBUSY).
    ///
    /// - Returns: 0, or the errno of the last failure.
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

    /// Applies other limits, including to current runs.
    func apply(_ limits: HookLimits) {
        state.withLock { $0.limits = limits }
        Self.write(limits, to: group)
        for name in Self.names(in: group.path) { Self.write(limits.half, to: group.child(name)) }
    }

    /// Creates the group of a run; nil if the kernel cannot create it.
    func begin() -> ControlGroup? {
        enableControllers()
        removeEmpty()
        let (run, limits) = state.withLock { state in
            state.runs += 1
            return (group.child("run-\(getpid())-\(state.runs)"), state.limits)
        }
        guard run.make() == 0 else { return nil }
        Self.write(limits.half, to: run)
        // The OOM killer kills a run as a whole.
        _ = run.set("memory.oom.group", "1")
        return run
    }

    /// Removes the group of an ended run, or, if the run has left processes behind, as soon as these have ended.
    ///
    /// - Returns: `true` if no such group is left. Otherwise ``removeEmpty()`` must be called when a process has ended.
    func end(_ run: ControlGroup) -> Bool {
        // Recorded before the attempt, so that the SIGCHLD of a process that ends in between finds the group here.
        state.withLock { $0.leftBehind.append(run) }
        return removeEmpty()
    }

    /// Removes the groups of ended runs that have no processes left.
    ///
    /// Safe to call from any thread, and quick.
    ///
    /// - Returns: `true` if no such group is left.
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
        throw Unavailable(description: "cannot \(action): \(SystemError(errno: number))")
    }

    private static func names(in directory: String) -> [String] {
        DirectoryStream.readableNames(in: directory)
            .map { String(decoding: $0, as: UTF8.self) }
            .filter { $0.hasPrefix("run-") }
    }
}

/// A control group (cgroups(7), version 2), identified by its directory.
struct ControlGroup: Sendable, Hashable {
    let path: String

    /// Creates the directory, unless it already exists.
    ///
    /// - Returns: 0, or the errno.
    func make() -> Int32 { mkdir(path, 0o755) == 0 || errno == EEXIST ? 0 : errno }

    /// Removes the directory; returns `false` while the group has processes.
    func remove() -> Bool { rmdir(path) == 0 || errno == ENOENT }

    /// Returns the child group of a name.
    func child(_ name: String) -> ControlGroup { ControlGroup(path: "\(path)/\(name)") }

    /// Writes one of the group's files.
    ///
    /// - Returns: 0, or the errno.
    func set(_ file: String, _ value: String) -> Int32 {
        let descriptor = open("\(path)/\(file)", O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        return write(descriptor, value, value.utf8.count) == value.utf8.count ? 0 : errno
    }

    /// Returns whether the group has a file.
    func has(_ file: String) -> Bool { access("\(path)/\(file)", F_OK) == 0 }

    /// `true` if the service manager has delegated the group to its processes (systemd's `Delegate=`).
    var isDelegated: Bool {
        reachagent_is_marked(path, "user.delegate") || reachagent_is_marked(path, "trusted.delegate")
    }

    /// `true` if the group has a process that has not ended, or if that cannot be determined.
    var isPopulated: Bool {
        guard let text = text("cgroup.events") else { return has("cgroup.procs") }
        return text.split(separator: "\n").contains("populated 1")
    }

    /// Signals each process in the group; processes that start meanwhile may be missed.
    func signal(_ signal: Int32) {
        for line in (text("cgroup.procs") ?? "").split(separator: "\n") {
            if let number = pid_t(line), number > 0 { Glibc.kill(number, signal) }
        }
    }

    /// Kills each process in the group, including those that are being started.
    ///
    /// - Returns: `true` if the kernel accepted the request.
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
    /// The control group of this process; nil without cgroup v2.
    static var own: ControlGroup? {
        let mounts = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"]
        // cgroup v1 has no such file.
        guard let mount = mounts.first(where: { ControlGroup(path: $0).has("cgroup.controllers") }) else { return nil }
        let text = ControlGroup(path: "/proc/self").text("cgroup") ?? ""
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("0::/") }) else { return nil }
        let path = line.dropFirst(3)
        return ControlGroup(path: path == "/" ? mount : mount + path)
    }

    /// The parent group.
    var parent: ControlGroup? {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash != path.startIndex else { return nil }
        return ControlGroup(path: String(path[..<slash]))
    }

    /// The last component of the path.
    var name: Substring {
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        return path[(slash.map { path.utf8.index(after: $0) } ?? path.startIndex)...]
    }
}
