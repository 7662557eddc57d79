import CSpawn
import Glibc
import Synchronization

/// Contains the processes that hooks start, for a program whose child processes are all hooks.
///
/// If the service manager delegates control groups, each run has one, and killing the group ends all processes of the
/// run. Otherwise a run's descendants are found by their parents; those whose parent has ended become children of this
/// process and are found by a variable that they inherit.
public final class HookContainment: Sendable {
    /// The environment variable that identifies the run.
    static let variable = "REACH_RUN"

    /// The means by which the processes of a run are found.
    public enum Means: Sendable, Hashable {
        /// Each run has its own control group below this one.
        case controlGroups(below: String)
        /// Processes are found by their parents and by a variable that they inherit, for the given reason.
        case descendants(because: String)
    }

    private enum Groups {
        case unknown
        case found(HookControlGroups)
        case none(reason: String)
    }

    private struct State {
        var groups = Groups.unknown
        var limits = HookLimits()
    }

    private let reaper = OrphanReaper()
    private let state = Mutex(State())
    /// Held while the groups are created, which may take the kernel a while; ``state`` stays unlocked meanwhile.
    private let making = Mutex(())
    private let runs = Atomic<UInt64>(0)
    private let note: @Sendable (String) -> Void

    /// Makes this process the parent of the processes that hooks leave behind; ``reap()`` must be called from then on.
    ///
    /// - Parameter note: Called once with a description of the means of containment.
    public init(note: @escaping @Sendable (String) -> Void = { _ in }) { self.note = note }

    /// Makes this process the parent of the processes that hooks leave behind, and uses no control groups.
    convenience init(withoutGroupsBecause reason: String) {
        self.init()
        state.withLock { $0.groups = .none(reason: reason) }
    }

    /// The means in use; nil until the groups of the first run have been created, for which this property does not
    /// wait.
    public var means: Means? {
        switch state.withLock({ $0.groups }) {
        case .unknown: nil
        case .found(let groups): .controlGroups(below: groups.group.path)
        case .none(let reason): .descendants(because: reason)
        }
    }

    /// Reaps ended processes that hooks have left behind; must be called after each SIGCHLD.
    ///
    /// Safe to call from any thread, and quick. It also takes the exit status of every child that is not a hook.
    public func reap() {
        reaper.sweep()
        found?.removeEmpty()
    }

    /// Applies the limits on all hooks together.
    func apply(_ limits: HookLimits) {
        let groups = state.withLock { state -> HookControlGroups? in
            state.limits = limits
            if case .found(let groups) = state.groups { return groups }
            return nil
        }
        groups?.apply(limits)
    }

    /// Returns a unique name for a run.
    func nextName() -> String { "\(getpid())-\(runs.wrappingAdd(1, ordering: .relaxed).newValue)" }

    /// Starts a program, in its own control group if control groups are available.
    ///
    /// Blocks as ``HookLeader/start(_:streams:in:as:)`` does.
    func start(
        _ launch: HookLaunch,
        streams: HookStreams
    ) throws(HookStartFailure) -> (leader: HookLeader, group: ControlGroup?) {
        let groups = groups
        var group = groups?.begin()
        do throws(HookStartFailure) {
            let leader = try reaper.start { (starting) throws(HookStartFailure) in
                do throws(HookStartFailure) {
                    return try HookLeader.start(launch, streams: streams, in: group, as: starting)
                } catch {
                    // A hook runs without a group if it cannot be put into one.
                    guard error.isOfGroup, let former = group else { throw error }
                    group = nil
                    _ = groups?.end(former)
                    return try HookLeader.start(launch, streams: streams, as: starting)
                }
            }
            return (leader, group)
        } catch {
            if let group { _ = groups?.end(group) }
            throw error
        }
    }

    /// Returns the criteria for the processes of a run whose parents have ended.
    func adopted(by run: String) -> HookDescendants.Adopted {
        HookDescendants.Adopted(mark: "\(Self.variable)=\(run)", others: reaper.leaders)
    }

    /// Records that a program was reaped.
    ///
    /// - Returns: `true` if no group is left. Otherwise ``reap()`` removes the groups when their remaining processes
    ///   have ended.
    func end(_ leader: HookLeader, _ group: ControlGroup?) -> Bool {
        reaper.release(leader)
        guard let group, let found else { return true }
        return found.end(group)
    }

    /// The control groups, if they have been created.
    private var found: HookControlGroups? {
        state.withLock { state in
            if case .found(let groups) = state.groups { groups } else { nil }
        }
    }

    /// The control groups, which are created for the first program.
    private var groups: HookControlGroups? {
        making.withLock { _ in
            let (known, limits) = state.withLock { ($0.groups, $0.limits) }
            switch known {
            case .found(let groups): return groups
            case .none: return nil
            case .unknown: break
            }
            do throws(HookControlGroups.Unavailable) {
                let groups = try HookControlGroups(limits)
                let newest = state.withLock { state in
                    state.groups = .found(groups)
                    return state.limits
                }
                // Limits that were set in the meantime found no groups to apply to.
                if newest != limits { groups.apply(newest) }
                let missing = groups.missingControllers
                let limits = missing.isEmpty ? "" : ", without the controllers \(missing.joined(separator: " and "))"
                note("each run has its own control group below \(groups.group.path)\(limits)")
                return groups
            } catch {
                state.withLock { $0.groups = .none(reason: "\(error)") }
                note("processes of hooks are found by their parents, because \(error)")
                return nil
            }
        }
    }
}

/// Reaps the processes that hooks leave behind and that become children of this process, but not the hooks themselves.
///
/// Use it only in a process that starts all its children through this object, because it takes the exit status of any
/// other child.
private final class OrphanReaper: Sendable {
    private struct State {
        /// The programs that are being started.
        var starting: [StartingProcess] = []
        /// The programs that other code reaps.
        var leaders: Set<pid_t> = []

        /// Returns whether a child that was found dead may be a program.
        ///
        /// While the ID of a program that is being started is not known, the child may be that program. The ID must be
        /// read after the child was found: it is unknown from before the process exists until it is that of the process.
        func mayBeProgram(_ number: pid_t) -> Bool {
            leaders.contains(number) || starting.contains { [0, number].contains($0.number) }
        }
    }

    private let state = Mutex(State())

    /// Makes this process the parent of orphaned descendants (PR_SET_CHILD_SUBREAPER).
    init() { reachagent_adopt_orphans() }

    /// The programs that have been started but not reaped.
    var leaders: Set<pid_t> { state.withLock { $0.leaders } }

    /// Starts a program, and pauses reaping until its process ID is known: its start may hang after that.
    func start<Failure>(_ body: (StartingProcess) throws(Failure) -> HookLeader) throws(Failure) -> HookLeader {
        let starting = StartingProcess()
        state.withLock { $0.starting.append(starting) }
        var number: pid_t?
        defer {
            state.withLock { state in
                state.starting.removeAll { $0 === starting }
                if let number { state.leaders.insert(number) }
            }
            sweep()
        }
        let leader = try body(starting)
        number = leader.number
        return leader
    }

    /// Records that a program was reaped.
    func release(_ leader: HookLeader) {
        state.withLock { _ = $0.leaders.remove(leader.number) }
        sweep()
    }

    /// Reaps ended children.
    ///
    /// Safe to call from any thread, and quick. Must be called after each SIGCHLD. The kernel reports one dead child at
    /// a time: those after a program that other code reaps wait until ``release(_:)``, and all of them for the moment in
    /// which a process is made.
    func sweep() {
        state.withLock { state in
            while true {
                var information = siginfo_t()
                guard waitid(P_ALL, 0, &information, WEXITED | WNOWAIT | WNOHANG) == 0 else { return }
                let number = information._sifields._sigchld.si_pid
                guard number > 0, !state.mayBeProgram(number) else { return }
                // The child is dead but not reaped, so its process ID has not been reused.
                guard waitid(P_PID, id_t(number), &information, WEXITED | WNOHANG) == 0 else { return }
            }
        }
    }
}
