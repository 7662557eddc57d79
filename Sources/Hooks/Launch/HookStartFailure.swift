import CSpawn
import Glibc

/// Why there is no process, as the run's outcome.
struct HookStartFailure: Error, Sendable, Hashable {
    let outcome: HookCompletion.Outcome

    /// - Parameters:
    ///   - error: The system's number.
    ///   - step: What could not be done.
    init(_ error: Int32, at step: reachagent_step, of launch: HookLaunch) {
        let reason = SystemText.of(error)
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
                    remedy: "make the folder, or let the hook's user enter it"
                )
            )
        case reachagent_step_program: outcome = Self.program(error, reason, launch.file)
        default: outcome = .notStarted(reason: "cannot make a process: \(reason)")
        }
    }

    /// execve(2) failed.
    private static func program(_ error: Int32, _ reason: String, _ file: HookFile) -> HookCompletion.Outcome {
        switch error {
        // The file itself is there, for it is open: what is missing is what is to interpret or load it.
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
                    evidence: "it is no program of this machine's: \(reason)",
                    remedy: "put a program for this machine, or a script, in its place"
                )
            )
        default: .notStarted(reason: "cannot run \(file.path): \(reason)")
        }
    }
}
