import CSpawn
import Glibc
import Synchronization

/// Contains everything that hooks start, for a process that has no other task.
///
/// If the service manager delegates control groups, each run has one, and killing it ends everything that the run has
/// started. Otherwise a run's descendants are found by their parents, and those whose parent has ended, which become
/// children of this process, by a variable that they inherit.
public final class HookContainment: Sendable {
    /// The variable that names the run.
    static let variable = "REACH_RUN"

    /// The means by which the processes of a run are found.
    public enum Means: Sendable, Hashable {
        /// Each run has a control group of its own below this one.
        case controlGroups(below: String)
        /// Processes are found by their parents, and by a variable that they inherit, for this reason.
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
    /// Held while the groups are made, for which the kernel may take its time: ``state`` is free meanwhile.
    private let making = Mutex(())
    private let runs = Atomic<UInt64>(0)
    private let note: @Sendable (String) -> Void

    /// Becomes the parent of what hooks leave behind; ``reap()`` has to be called from now on.
    ///
    /// - Parameter note: Takes, once, in which way hooks are kept hold of.
    public init(note: @escaping @Sendable (String) -> Void = { _ in }) { self.note = note }

    /// The means that apply; nil before the first run, and while its groups are made, for which no caller waits here.
    public var means: Means? {
        switch state.withLock({ $0.groups }) {
        case .unknown: nil
        case .found(let groups): .controlGroups(below: groups.group.path)
        case .none(let reason): .descendants(because: reason)
        }
    }

    /// Reaps the processes that were left behind and have ended; to be called after each SIGCHLD.
    ///
    /// Safe from any thread, and quick. This takes how any child ended that no hook is.
    public func reap() {
        reaper.sweep()
        found?.removeEmpty()
    }

    /// Takes the limits of all hooks together into use.
    func apply(_ limits: HookLimits) {
        let groups = state.withLock { state -> HookControlGroups? in
            state.limits = limits
            if case .found(let groups) = state.groups { return groups }
            return nil
        }
        groups?.apply(limits)
    }

    /// A name for a run that no other has.
    func nextName() -> String { "\(getpid())-\(runs.wrappingAdd(1, ordering: .relaxed).newValue)" }

    /// Starts a program, in a control group of its own where there are any.
    ///
    /// Blocks as ``HookLeader/start(_:streams:in:)`` does.
    func start(
        _ launch: HookLaunch,
        streams: HookStreams
    ) throws(HookStartFailure) -> (leader: HookLeader, group: ControlGroup?) {
        let groups = groups
        var group = groups?.begin()
        do throws(HookStartFailure) {
            let leader = try reaper.start { () throws(HookStartFailure) in
                do throws(HookStartFailure) {
                    return try HookLeader.start(launch, streams: streams, in: group)
                } catch {
                    // A group that cannot be entered keeps no hook from running.
                    guard error.isOfGroup, let former = group else { throw error }
                    group = nil
                    _ = groups?.end(former)
                    return try HookLeader.start(launch, streams: streams)
                }
            }
            return (leader, group)
        } catch {
            if let group { _ = groups?.end(group) }
            throw error
        }
    }

    /// The processes that a run has started, whose parents have ended.
    func adopted(by run: String) -> HookDescendants.Adopted {
        HookDescendants.Adopted(mark: "\(Self.variable)=\(run)", others: reaper.leaders)
    }

    /// Notes that a program was reaped.
    ///
    /// - Returns: Whether nothing is left of the run. Otherwise ``reap()`` removes its group when the rest has ended.
    func end(_ leader: HookLeader, _ group: ControlGroup?) -> Bool {
        reaper.release(leader)
        guard let group, let found else { return true }
        return found.end(group)
    }

    /// The control groups that were made.
    private var found: HookControlGroups? {
        state.withLock { state in
            if case .found(let groups) = state.groups { groups } else { nil }
        }
    }

    /// The control groups, which are made for the first program.
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
                // Limits that came meanwhile found no groups to apply to.
                if newest != limits { groups.apply(newest) }
                let missing = groups.missingControllers
                let limits = missing.isEmpty ? "" : ", without limits by \(missing.joined(separator: " and "))"
                note("each run has a control group of its own below \(groups.group.path)\(limits)")
                return groups
            } catch {
                state.withLock { $0.groups = .none(reason: "\(error)") }
                note("what hooks start is found by its parents, as \(error)")
                return nil
            }
        }
    }
}

/// Reaps the processes that hooks leave behind, whose parent this process becomes, and no other.
///
/// Only a process whose children are all started by way of this object may use one: it takes how any other child ended.
private final class OrphanReaper: Sendable {
    private struct State {
        /// The number of programs that are being started: their process numbers are not known yet.
        var starting = 0
        /// The programs that another owner reaps.
        var leaders: Set<pid_t> = []
    }

    private let state = Mutex(State())

    /// Becomes the parent of what is left behind by this process's descendants (PR_SET_CHILD_SUBREAPER).
    init() { reachagent_adopt_orphans() }

    /// The programs that were started and not reaped.
    var leaders: Set<pid_t> { state.withLock { $0.leaders } }

    /// Keeps the reaper off a program until its number is known.
    func start<Failure>(_ body: () throws(Failure) -> HookLeader) throws(Failure) -> HookLeader {
        state.withLock { $0.starting += 1 }
        var number: pid_t?
        defer {
            state.withLock { state in
                state.starting -= 1
                if let number { state.leaders.insert(number) }
            }
            sweep()
        }
        let leader = try body()
        number = leader.number
        return leader
    }

    /// Notes that a program was reaped.
    func release(_ leader: HookLeader) {
        state.withLock { _ = $0.leaders.remove(leader.number) }
        sweep()
    }

    /// Reaps who has ended.
    ///
    /// Safe from any thread, and quick. To be called after each SIGCHLD. The kernel shows one dead child at a time:
    /// behind a program that another owner reaps the others wait until ``release(_:)``.
    func sweep() {
        state.withLock { state in
            guard state.starting == 0 else { return }
            while true {
                var information = siginfo_t()
                guard waitid(P_ALL, 0, &information, WEXITED | WNOWAIT | WNOHANG) == 0 else { return }
                let number = information._sifields._sigchld.si_pid
                guard number > 0, !state.leaders.contains(number) else { return }
                // It is dead and not reaped: its number is still its own.
                guard waitid(P_PID, id_t(number), &information, WEXITED | WNOHANG) == 0 else { return }
            }
        }
    }
}
