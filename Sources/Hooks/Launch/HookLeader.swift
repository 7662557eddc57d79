import CSpawn
import Glibc
import LinuxSupport

/// A started program, which leads its own session and process group.
///
/// The group ID is the leader's process ID, and the kernel reuses IDs, but not while a process has the ID, including a
/// dead one that has not been reaped. A caller must therefore signal the group before ``reap()``: until then the ID is
/// the leader's, and the signal cannot hit another process. Only `reap` reaps.
struct HookLeader: Sendable, Hashable {
    /// The end of a program.
    enum Ending: Sendable, Hashable {
        case exited(Int32)
        case signaled(Int32)
        /// Reaped by other code.
        case lost
    }

    /// The ID of the process, of its group and of its session.
    let number: pid_t

    /// Starts a program, in a control group if one is given.
    ///
    /// Blocks until the program itself has started, which a hanging file system can prevent.
    ///
    /// - Parameter starting: Has the ID of the process meanwhile.
    static func start(
        _ launch: HookLaunch,
        streams: HookStreams,
        in group: ControlGroup? = nil,
        as starting: StartingProcess = StartingProcess()
    ) throws(HookStartFailure) -> Self {
        _ = Self.keepsChildren
        // A descriptor below 4 would be overwritten before it is copied.
        let file = launch.file.descriptor
        let copy = file <= HookStreams.lastGiven ? fcntl(file, F_DUPFD_CLOEXEC, HookStreams.lastGiven + 1) : file
        guard copy >= 0 else { throw HookStartFailure(errno, at: reachagent_step_descriptors, of: launch) }
        defer { if copy != file { close(copy) } }
        let members = try group.map { (group) throws(HookStartFailure) in try Self.members(of: group, launch) } ?? -1
        defer { if members >= 0 { close(members) } }
        let words = [launch.name ?? launch.file.path] + launch.arguments
        let variables = launch.environment.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        var step = reachagent_step_process
        let result = withCStrings(words) { words in
            withCStrings(variables) { variables in
                withAccount(launch.account) { account in
                    launch.workingDirectory.withCString { directory in
                        var program = reachagent_program(
                            file: copy,
                            is_script: launch.file.isScript,
                            arguments: words,
                            environment: variables,
                            directory: directory,
                            account: account,
                            input: streams.input,
                            output: streams.outputWriter,
                            group: members
                        )
                        return reachagent_spawn(&program, starting.place, &step)
                    }
                }
            }
        }
        guard result == 0 else { throw HookStartFailure(result, at: step, of: launch) }
        return Self(number: starting.number)
    }

    /// Blocks until the program has ended, without reaping it.
    func wait() {
        var information = siginfo_t()
        while waitid(P_PID, id_t(number), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    }

    /// `true` once the program has ended.
    var hasEnded: Bool {
        var information = siginfo_t()
        let result = waitid(P_PID, id_t(number), &information, WEXITED | WNOWAIT | WNOHANG)
        return result != 0 || information._sifields._sigchld.si_pid != 0
    }

    /// Reaps the program, and returns its end.
    ///
    /// The program must have ended. From here on, its process ID may belong to another process.
    func reap() -> Ending {
        var information = siginfo_t()
        let result = waitid(P_PID, id_t(number), &information, WEXITED | WNOHANG)
        guard result == 0, information._sifields._sigchld.si_pid == number else { return .lost }
        let status = information._sifields._sigchld.si_status
        return information.si_code == Int32(CLD_EXITED) ? .exited(status) : .signaled(status)
    }

    /// Signals the group; must not be called after ``reap()``.
    func signalGroup(_ signal: Int32) { kill(-number, signal) }

    /// `true` if the group has other members, or if that cannot be determined.
    var hasCompanions: Bool {
        do throws(SystemError) {
            let processes = try DirectoryStream(of: "/proc")
            while let name = try processes.next() {
                guard let other = pid_t(String(decoding: name, as: UTF8.self)), other != number else { continue }
                // A process that its parent does not reap exists as long as the parent.
                if getpgid(other) == number, let entry = ProcessEntry(of: other), !entry.isDead { return true }
            }
            return false
        } catch {
            return true
        }
    }

    /// Restores SIGCHLD, because the kernel immediately reaps the children of a process that inherits SIG_IGN.
    private static let keepsChildren: Void = {
        var action = sigaction()
        sigaction(SIGCHLD, nil, &action)
        guard unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1 else { return }
        signal(SIGCHLD, SIG_DFL)
    }()

    /// Opens the file that lists the members of a control group, with a number above the descriptors of programs.
    private static func members(of group: ControlGroup, _ launch: HookLaunch) throws(HookStartFailure) -> Int32 {
        let opened = open("\(group.path)/cgroup.procs", O_WRONLY | O_CLOEXEC)
        guard opened >= 0 else { throw HookStartFailure(errno, at: reachagent_step_group, of: launch) }
        guard opened <= HookStreams.lastGiven else { return opened }
        defer { close(opened) }
        let copy = fcntl(opened, F_DUPFD_CLOEXEC, HookStreams.lastGiven + 1)
        guard copy >= 0 else { throw HookStartFailure(errno, at: reachagent_step_descriptors, of: launch) }
        return copy
    }
    /// Calls `body` with an account for the child; `nil` for that of the agent.
    private static func withAccount<Result>(
        _ account: HookAccount?,
        _ body: (UnsafePointer<reachagent_account>?) -> Result
    ) -> Result {
        guard let account, !account.isAgent else { return body(nil) }
        return account.groups.withUnsafeBufferPointer { groups in
            var value = reachagent_account(
                user: account.uid,
                group: account.gid,
                group_count: groups.count,
                groups: groups.baseAddress
            )
            return body(&value)
        }
    }

    /// Calls `body` with an array for execve(2), in which each string ends at its first NUL.
    private static func withCStrings<Result>(
        _ strings: [String],
        _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>?) -> Result
    ) -> Result {
        let pointers = strings.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        return pointers.withUnsafeBufferPointer { body($0.baseAddress) }
    }
}

/// The ID of a process that is being started, which other threads may read.
///
/// `@unchecked Sendable`: the place exists as long as the object, and is read and written by atomic operations alone.
final class StartingProcess: @unchecked Sendable {
    fileprivate let place: UnsafeMutablePointer<pid_t>

    init() {
        place = .allocate(capacity: 1)
        place.initialize(to: 0)
    }

    deinit { place.deallocate() }

    /// The ID; 0 while the process is not known, although it may exist.
    var number: pid_t { reachagent_process(place) }
}
