import CSpawn
import Glibc

/// A program that was started, the leader of a session and a process group of its own.
///
/// The group's number is the leader's, and numbers are given away again. The kernel keeps one from being given away while
/// a process has it, a dead one that was not reaped included. So whoever wants to signal the group does that before
/// ``reap()``, and then it can hit nobody else: the number is the leader's until then. Nothing but `reap` reaps.
struct HookLeader: Sendable, Hashable {
    /// How a program ended.
    enum Ending: Sendable, Hashable {
        case exited(Int32)
        case signaled(Int32)
        /// Somebody else reaped it.
        case lost
    }

    /// The number of the process, of its group and of its session.
    let number: pid_t

    /// Starts a program.
    ///
    /// Blocks until the program itself has begun, which a file system that hangs can keep from happening.
    static func start(_ launch: HookLaunch, streams: HookStreams) throws(HookStartFailure) -> Self {
        _ = Self.keepsChildren
        // A number below 4 would be overwritten before it is its turn to be copied.
        let file = launch.file.descriptor
        let copy = file <= HookStreams.lastGiven ? fcntl(file, F_DUPFD_CLOEXEC, HookStreams.lastGiven + 1) : file
        guard copy >= 0 else { throw HookStartFailure(errno, at: reachagent_step_descriptors, of: launch) }
        defer { if copy != file { close(copy) } }
        let words = [launch.name ?? launch.file.path] + launch.arguments
        let variables = launch.environment.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        var number: pid_t = 0
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
                            output: streams.outputWriter
                        )
                        return reachagent_spawn(&program, &number, &step)
                    }
                }
            }
        }
        guard result == 0 else { throw HookStartFailure(result, at: step, of: launch) }
        return Self(number: number)
    }

    /// Blocks until it has ended, and leaves it to be reaped.
    func wait() {
        var information = siginfo_t()
        while waitid(P_PID, id_t(number), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    }

    /// Whether it has ended.
    var hasEnded: Bool {
        var information = siginfo_t()
        let result = waitid(P_PID, id_t(number), &information, WEXITED | WNOWAIT | WNOHANG)
        return result != 0 || information._sifields._sigchld.si_pid != 0
    }

    /// Takes how it ended.
    ///
    /// It must have ended. From here on its number may be another process's.
    func reap() -> Ending {
        var information = siginfo_t()
        let result = waitid(P_PID, id_t(number), &information, WEXITED | WNOHANG)
        guard result == 0, information._sifields._sigchld.si_pid == number else { return .lost }
        let status = information._sifields._sigchld.si_status
        return information.si_code == Int32(CLD_EXITED) ? .exited(status) : .signaled(status)
    }

    /// Signals the group; only before ``reap()``.
    func signalGroup(_ signal: Int32) { kill(-number, signal) }

    /// Whether there is anybody else in the group; also said when that cannot be found out.
    var hasCompanions: Bool {
        guard let folder = opendir("/proc") else { return true }
        defer { closedir(folder) }
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { $0.prefix { $0 != 0 }.map { $0 } }
            guard let other = pid_t(String(decoding: name, as: UTF8.self)), other != number else { continue }
            if getpgid(other) == number, Self.isAlive(other) { return true }
        }
        return false
    }

    /// Whether a process has not ended; one that its parent does not reap is there for as long as that lives.
    private static func isAlive(_ process: pid_t) -> Bool {
        let descriptor = open("/proc/\(process)/stat", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = read(descriptor, &bytes, bytes.count)
        // proc_pid_stat(5): the state is the letter behind the name in parentheses.
        guard count > 0, let end = bytes[..<count].lastIndex(of: UInt8(ascii: ")")), end + 2 < count else {
            return true
        }
        return bytes[end + 2] != UInt8(ascii: "Z") && bytes[end + 2] != UInt8(ascii: "X")
    }

    /// A process that ignores SIGCHLD, by inheritance, has its children reaped by the kernel, at once.
    private static let keepsChildren: Void = {
        var action = sigaction()
        sigaction(SIGCHLD, nil, &action)
        guard unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1 else { return }
        signal(SIGCHLD, SIG_DFL)
    }()

    /// An account as the child reads it; none for the agent's own.
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

    /// An array as exec wants it, where a string ends at a NUL.
    private static func withCStrings<Result>(
        _ strings: [String],
        _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>?) -> Result
    ) -> Result {
        let pointers = strings.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        return pointers.withUnsafeBufferPointer { body($0.baseAddress) }
    }
}
