import CSpawn
import Glibc
import Synchronization

/// Reaps the processes that hooks leave behind, whose parent this process becomes, and no other.
///
/// Only a process whose children are all started by way of this object may use one: it takes how any other child ended.
final class OrphanReaper: Sendable {
    private struct State {
        /// The number of programs that are being started: their process numbers are not known yet.
        var starting = 0
        /// The programs that somebody else reaps.
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
    /// behind a program that somebody else reaps the others wait until ``release(_:)``.
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
