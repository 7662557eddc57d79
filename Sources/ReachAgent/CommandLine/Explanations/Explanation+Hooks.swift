internal import AgentEvents
internal import Hooks

extension HookRefusal.Code: ExplainedCode {
    /// The meaning and the remedy; the refusal itself has the command with the file's path.
    var explanation: Explanation.Meaning {
        switch self {
        case .missing:
            (
                "The hook's file does not exist, or no program of that name is in the search path.",
                "Create it, or correct the path."
            )
        case .unreadable:
            (
                "The hook's file cannot be accessed.",
                "Let the agent's user search the directories above it: `namei -l PATH` shows them; "
                    + "the service sees nothing in /home, /root and /run/user."
            )
        case .notRegular:
            ("The hook is a directory, a device, a pipe or a socket.", "Replace it by a program or a script.")
        case .owner:
            ("The owner of the hook's file is neither root nor the agent's user.", "`chown root:root PATH`")
        case .writable:
            ("The hook's file is writable by its group or others, who could replace it.", "`chmod go-w PATH`")
        case .directory:
            (
                "A directory above the hook's file has another owner, or is writable by others and not sticky.",
                "Move the hook into a directory that root owns, or `chmod go-w DIRECTORY`; `reachagent hooks list` names it."
            )
        case .setuid:
            (
                "The hook's file has the set-user-ID or set-group-ID bit.",
                "`chmod ug-s PATH`; to run it as another user, set 'user'."
            )
        case .notExecutable:
            (
                "The hook's file is not executable, at all or for the user to run as; a script must be readable too.",
                "`chmod a+rx PATH`"
            )
        case .noInterpreter:
            (
                "The hook has no '#!' line and is not a program, or its interpreter cannot be determined or does not exist.",
                "Correct the first line, or install the interpreter."
            )
        case .user:
            (
                "The user or group to run the hook as does not exist, or the agent may not change to it.",
                "Create the account, let the agent change its user, or omit 'user' and 'group'."
            )
        case .workingDirectory:
            (
                "The hook's 'working_directory' does not exist, or is not a directory.",
                "Create it, or configure another one."
            )
        }
    }
}

extension HookOutcome: ExplainedCode {
    /// The meaning and the remedy.
    var explanation: Explanation.Meaning {
        switch self {
        case .succeeded: ("The hook's program ended with exit status 0, or its request was accepted.", "Nothing.")
        case .exited:
            (
                "The hook's program ended with an exit status other than 0.",
                "`reachagent status agent` has the end of its output, and the command that runs it again."
            )
        case .signaled:
            (
                "The hook's program was ended by a signal that the agent did not send.",
                "`journalctl -k` shows whether the kernel ended it for lack of memory; else look for a crash in its output."
            )
        case .timedOut:
            (
                "The hook exceeded its 'timeout', and the agent killed it.",
                "Make it faster, or raise 'timeout'; let it start a unit for long work, and not wait for it."
            )
        case .refused:
            (
                "The hook was not run: its file is not trusted, or not executable.",
                "`reachagent hooks list` shows the reason, and the command that repairs it."
            )
        case .notStarted:
            (
                "The system could not create a process for the hook.",
                "Raise 'TasksMax=' or 'LimitNOFILE=' of the service, or free memory; the event has the error."
            )
        case .stopped:
            (
                "The agent stopped before the hook had ended; with 0 attempts of a webhook, before it was sent.",
                "Nothing, or give hooks more time: 'stop_grace' in [hooks]; for a webhook, set 'at_start'."
            )
        case .undelivered:
            (
                "The webhook's request was not accepted, and is not retried any more.",
                "The event has the code of the last attempt, or its HTTP status: look at the receiving server."
            )
        }
    }
}
