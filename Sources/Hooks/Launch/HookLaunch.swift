import CSpawn
import Glibc
import LinuxSupport

/// One program to start.
package struct HookLaunch: Sendable {
    /// The checked file; it is executed by its descriptor.
    package var file: HookFile
    /// The program's own name (`argv[0]`); nil for the file's real path.
    ///
    /// The behaviour of a multi-call program (busybox) depends on the name by which it is called, not on the target of
    /// the link.
    package var name: String?
    /// The arguments, without the program's own name.
    package var arguments: [String]
    /// The whole environment.
    package var environment: [String: String]
    /// The working directory.
    package var workingDirectory: String
    /// The account to run as; nil for the agent's own user.
    package var account: HookAccount?
    /// The standard input.
    package var input: [UInt8]
    /// The timeout.
    package var timeout: Duration

    /// Creates a launch; by default as the agent's user in `/`.
    package init(
        file: HookFile,
        name: String? = nil,
        arguments: [String] = [],
        environment: [String: String],
        workingDirectory: String = "/",
        account: HookAccount? = nil,
        input: [UInt8] = [],
        timeout: Duration
    ) {
        self.file = file
        self.name = name
        self.arguments = arguments
        self.environment = environment
        self.workingDirectory = workingDirectory
        self.account = account
        self.input = input
        self.timeout = timeout
    }
}

/// The reason that no process was started, as the outcome of the run.
struct HookStartFailure: Error, Sendable, Hashable {
    let outcome: HookRunEnd.Outcome
    /// `true` if the program could not be put into the control group.
    let isOfGroup: Bool

    /// - Parameters:
    ///   - error: The errno.
    ///   - step: The failed step.
    init(_ error: Int32, at step: reachagent_step, of launch: HookLaunch) {
        let reason = SystemError(errno: error).description
        isOfGroup = step == reachagent_step_group
        switch step {
        case reachagent_step_account:
            let name = launch.account?.name ?? launch.account.map { "UID \($0.uid)" } ?? "another user"
            outcome = .refused(
                HookRefusal(
                    .user,
                    path: launch.file.path,
                    evidence: "the agent cannot become \(name): \(reason)",
                    remedy: "leave 'user' and 'group' out, or run the agent as root"
                )
            )
        case reachagent_step_directory:
            outcome = .refused(
                HookRefusal(
                    .workingDirectory,
                    path: launch.workingDirectory,
                    evidence: "cannot be entered: \(reason)",
                    remedy: "make the directory, or let the hook's user enter it"
                )
            )
        case reachagent_step_program: outcome = Self.program(error, reason, launch.file)
        case reachagent_step_descriptors:
            outcome = .notStarted(reason: "cannot set up its descriptors: \(reason)")
        default: outcome = .notStarted(reason: "cannot make a process: \(reason)")
        }
    }

    /// Returns the outcome of a failed execve(2).
    private static func program(_ error: Int32, _ reason: String, _ file: HookFile) -> HookRunEnd.Outcome {
        switch error {
        // The file itself exists, because it is open: its interpreter or loader is missing.
        case ENOENT:
            .refused(
                HookRefusal(
                    .noInterpreter,
                    path: file.path,
                    evidence: "\(file.interpreter ?? "its loader") is not there",
                    remedy: "install it, or correct the first line"
                )
            )
        case EACCES, EPERM:
            .refused(
                HookRefusal(
                    .notExecutable,
                    path: file.path,
                    evidence: "the kernel refuses to run it: \(reason)",
                    remedy: "let the hook's user run it and its interpreter"
                )
            )
        case ENOEXEC, ELIBBAD, EINVAL:
            .refused(
                HookRefusal(
                    .noInterpreter,
                    path: file.path,
                    evidence: "it is not a program for this machine: \(reason)",
                    remedy: "put a program for this machine, or a script, in its place"
                )
            )
        default: .notStarted(reason: "cannot run \(file.path): \(reason)")
        }
    }
}
