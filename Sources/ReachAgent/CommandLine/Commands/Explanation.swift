internal import AgentEvents
internal import EventJournal
internal import Hooks
internal import NetlinkMonitor
internal import Probes
internal import Reachability

/// A code with its meaning and its remedy.
struct Explanation {
    let code: String
    let meaning: String
    let remedy: String

    /// The codes that have an explanation.
    static let codes = Set(
        FindingCode.allCases.map(\.rawValue) + ReasonCode.allCases.map(\.rawValue) + SinkCode.allCases.map(\.rawValue)
            + HookRefusal.Code.allCases.map(\.rawValue) + JournalCondition.Code.allCases.map(\.rawValue)
            + Overrun.Code.allCases.map(\.rawValue)
    ).sorted()

    /// The explanation of a code, which may be in brackets; `nil` for an unknown code.
    init?(_ text: String) {
        code = text.hasPrefix("[") && text.hasSuffix("]") ? String(text.dropFirst().dropLast()) : text
        if let explanation = HookRefusal.Code(rawValue: code)?.explanation
            ?? JournalCondition.Code(rawValue: code)?.explanation ?? Overrun.Code(rawValue: code)?.explanation
        {
            (meaning, remedy) = explanation
            return
        }
        let (finding, sink) = (FindingCode(rawValue: code), SinkCode(rawValue: code))
        guard let meaning = ReasonCode(rawValue: code)?.sentence ?? finding?.sentence ?? sink?.sentence,
            let remedy = Advice.action(on: code)?.description ?? finding?.configuredRemedy ?? sink?.remedy
        else { return nil }
        (self.meaning, self.remedy) = (meaning, remedy)
    }

    /// The lines for a terminal.
    func text(style: TerminalStyle) -> String {
        var block = TextBlock(columns: style.columns)
        block.add(style.paint(code, .bold))
        block.add("", meaning, indent: 2, labelWidth: 0)
        block.add("do", remedy, indent: 2, labelWidth: 6)
        return block.text
    }
}

extension HookRefusal.Code {
    /// The meaning and the remedy; the refusal itself has the command with the file's path.
    fileprivate var explanation: (meaning: String, remedy: String) {
        switch self {
        case .missing:
            (
                "The hook's file does not exist, or no program of that name is in the search path.",
                "Create it, or correct the path."
            )
        case .unreadable:
            (
                "The hook's file cannot be accessed.",
                "Let the agent's user search the directories above it: `namei -l PATH` shows them."
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
                "`chown root:root DIRECTORY`, `chmod go-w DIRECTORY`; `reachagent hooks list` names it."
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

extension JournalCondition.Code {
    /// The meaning and the remedy.
    fileprivate var explanation: (meaning: String, remedy: String) {
        switch self {
        case .writeFailed:
            (
                "The journal's disk is full, over quota, read-only or broken; the newest events are queued in memory.",
                """
                `df -h /var/lib/reachagent` and `dmesg` show the reason. Writing is retried with the next event; no restart is \
                needed.
                """
            )
        case .syncFailed:
            (
                "The journal's disk did not accept written data.",
                "Look at the disk: `dmesg`, `smartctl`. A new segment is started."
            )
        case .stalled:
            (
                "The journal's disk was so slow that events were delivered before they were recorded, or never recorded.",
                "Look at the disk: `iostat -x 1`; set 'journal_sync' to \"never\" on slow flash."
            )
        case .deleted:
            (
                "Files of the journal were deleted or truncated by somebody else; recording continues in a new segment.",
                "Let the agent delete them: 'journal_size', 'journal_age'."
            )
        case .leaseFound:
            (
                "The previous agent ended while it could not write: the numbers that it may have used are skipped.",
                "Nothing."
            )
        case .resumed: ("All events are recorded again.", "Nothing.")
        }
    }
}

extension Overrun.Code {
    /// The meaning and the remedy; after each loss the agent reads everything again by itself.
    fileprivate var explanation: (meaning: String, remedy: String) {
        switch self {
        case .bufferFull:
            (
                "The kernel dropped messages, because the receive buffer was full: everything is read again.",
                "If it is frequent, raise the buffer's limit: `sysctl net.core.rmem_max`."
            )
        case .truncated:
            ("A kernel message was longer than the read buffer: everything is read again.", "Report it.")
        case .malformed:
            (
                "A kernel message could not be parsed: everything is read again.",
                "Report it with the kernel's version."
            )
        case .dumpInterrupted:
            (
                "The kernel's tables kept changing while they were read.",
                "Nothing; if it persists, something changes the network in a loop: `ip monitor`."
            )
        case .requestFailed:
            (
                "A request to the kernel failed.",
                "Look for a lack of memory (`dmesg`), or a sandbox without AF_NETLINK."
            )
        }
    }
}
