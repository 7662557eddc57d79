internal import AgentEvents
internal import Glibc
internal import LinuxSupport

/// The reason a file is not run, and the remedy.
public struct HookRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// The stable codes.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// The file does not exist.
        case missing = "hook_missing"
        /// The file cannot be accessed.
        case unreadable = "hook_unreadable"
        /// It is not a regular file.
        case notRegular = "hook_not_regular"
        /// Its owner is neither root nor the agent's user.
        case owner = "hook_owner"
        /// It is writable by its group or others.
        case writable = "hook_writable"
        /// A parent directory has another owner, or is writable by others.
        case directory = "hook_directory"
        /// It has the set-user-ID or set-group-ID bit.
        case setuid = "hook_setuid"
        /// It is not executable at all, or not by the user to run as.
        case notExecutable = "hook_not_executable"
        /// It has no `#!` line and is not a program, or the interpreter does not exist.
        case noInterpreter = "hook_no_interpreter"
        /// The user or group to run as does not exist, or the agent may not change to it.
        case user = "hook_user"
        /// The working directory does not exist.
        case workingDirectory = "hook_working_directory"
    }

    /// The code.
    public var code: Code
    /// The file or directory at fault.
    public var path: String
    /// The evidence.
    public var evidence: String
    /// A command or a short instruction that fixes it.
    public var remedy: String
    /// The command in the remedy, as a shell takes it; `nil` for an instruction without one.
    public var command: String?
    /// The error, if the machine lacked the resources to check the file, or could not look up the account.
    ///
    /// In that case both may be fine, and the next run may succeed.
    package var shortage: Int32?

    /// Creates a refusal.
    public init(_ code: Code, path: String, evidence: String, remedy: String, command: String? = nil) {
        self.code = code
        self.path = path
        self.evidence = evidence
        self.remedy = remedy
        self.command = command
    }

    /// Creates a refusal whose remedy is a command.
    init(_ code: Code, path: String, evidence: String, command: String) {
        self.init(code, path: path, evidence: evidence, remedy: command, command: command)
    }

    /// The refusal in one line.
    public var description: String { "\(code.rawValue) (\(path)): \(evidence); \(remedy)" }
}

/// The evidence for a refusal, and its remedy.
extension HookRefusal {
    /// Returns the refusal for a failed open(2), with a note about a broken link.
    static func notOpened(_ path: String, _ error: Int32) -> HookRefusal {
        guard error == ENOENT, let bytes = SymbolicLink.target(of: path) else { return notFound(path, error) }
        let target = ShellWord.quoted(String(decoding: bytes, as: UTF8.self))
        return HookRefusal(
            .missing,
            path: path,
            evidence: "is a link to \(target), which is not there",
            remedy: "rm \(ShellWord.quoted(path)), or put the file there",
            command: "rm \(ShellWord.quoted(path))"
        )
    }

    static func notFound(_ path: String, _ error: Int32) -> HookRefusal {
        var refusal = unseen(path, error)
        if [EMFILE, ENFILE, ENOMEM, EAGAIN].contains(error) { refusal.shortage = error }
        return refusal
    }

    private static func unseen(_ path: String, _ error: Int32) -> HookRefusal {
        switch error {
        case ENOENT, ENOTDIR, ENAMETOOLONG:
            HookRefusal(
                .missing,
                path: path,
                evidence: "there is no such file",
                remedy: "put the file there, or correct the path"
            )
        case ELOOP:
            HookRefusal(
                .unreadable,
                path: path,
                evidence: "its links lead in a circle",
                remedy: "rm \(ShellWord.quoted(path)), or correct the links",
                command: "rm \(ShellWord.quoted(path))"
            )
        case EACCES:
            HookRefusal(
                .unreadable,
                path: path,
                evidence: "cannot be examined: \(SystemError(errno: error))",
                remedy: "let the agent's user search the directories above it (namei -l \(ShellWord.quoted(path)))",
                command: "namei -l \(ShellWord.quoted(path))"
            )
        default:
            HookRefusal(
                .unreadable,
                path: path,
                evidence: "cannot be examined: \(SystemError(errno: error))",
                remedy: "see what the system's log says about it"
            )
        }
    }

    static func badPath(_ path: String, _ evidence: String) -> HookRefusal {
        HookRefusal(.missing, path: path, evidence: evidence, remedy: "put the file there, or correct the path")
    }

    static func notRegular(_ path: String, _ mode: mode_t) -> HookRefusal {
        HookRefusal(
            .notRegular,
            path: path,
            evidence: "is \(ModeText.kind(mode)), not a regular file",
            remedy: "put a program or a script in its place"
        )
    }

    static func owner(
        _ code: Code,
        _ path: String,
        owner: UInt32,
        agent: UInt32,
        isLink: Bool = false
    ) -> HookRefusal {
        let wanted = agent == 0 ? "not to root" : "neither to root nor to the agent's user (UID \(agent))"
        let user = agent == 0 ? "root:root" : String(agent)
        let evidence = "belongs to UID \(owner), \(wanted)"
        let command = "chown \(isLink ? "-h " : "")\(user) \(ShellWord.quoted(path))"
        // A directory may be another user's home, which a command to paste would take away.
        guard code == .directory else { return HookRefusal(code, path: path, evidence: evidence, command: command) }
        let remedy = "move the hook into a directory that root owns; or, if nothing else uses this one: \(command)"
        return HookRefusal(code, path: path, evidence: evidence, remedy: remedy)
    }

    static func writable(_ code: Code, _ path: String, _ mode: mode_t) -> HookRefusal {
        let who = mode & S_IWOTH != 0 ? "all users" : "its group"
        return HookRefusal(
            code,
            path: path,
            evidence: "has mode \(ModeText.mode(mode)): \(who) can write to it",
            command: "chmod go-w \(ShellWord.quoted(path))"
        )
    }

    static func setuid(_ path: String, _ mode: mode_t) -> HookRefusal {
        let (user, group) = (mode & S_ISUID != 0, mode & S_ISGID != 0)
        let bits = [user ? "set-user-ID" : nil, group ? "set-group-ID" : nil].compactMap(\.self).joined(
            separator: " and "
        )
        return HookRefusal(
            .setuid,
            path: path,
            evidence: "has mode \(ModeText.mode(mode)): it would run with other rights (\(bits))",
            command: "chmod \(user ? "u" : "")\(group ? "g" : "")-s \(ShellWord.quoted(path))"
        )
    }

    /// Returns the refusal for missing permissions of the account to run as.
    static func forbidden(
        _ path: String,
        _ mode: mode_t,
        _ verb: String,
        _ account: HookAccount?,
        _ agent: UInt32
    ) -> HookRefusal {
        let uid = account?.uid ?? agent
        let name = account?.name.map { "\(ShellWord.quoted($0)) (UID \(uid))" } ?? "UID \(uid)"
        let why = verb == "read" ? ", as a script's interpreter has to" : ""
        return HookRefusal(
            .notExecutable,
            path: path,
            evidence: "has mode \(ModeText.mode(mode)): \(name) may not \(verb) it\(why)",
            command: "chmod a+rx \(ShellWord.quoted(path))"
        )
    }

    static func start(_ path: String, _ mistake: Interpreter.Mistake) -> HookRefusal {
        let word = ShellWord.quoted(path)
        let (remedy, isCommand) =
            switch mistake {
            case .carriageReturn: (#"sed -i 's/\r$//' \#(word)"#, true)
            case .relative, .tooLong, .notText: ("write a short absolute path after '#!'", false)
            case .empty: ("write a script into it, with '#!/bin/sh' as its first line", false)
            case .unknownFormat, .unnamed: ("sed -i '1i #!/bin/sh' \(word)", true)
            }
        return HookRefusal(
            .noInterpreter,
            path: path,
            evidence: mistake.description,
            remedy: remedy,
            command: isCommand ? remedy : nil
        )
    }
}

/// The text form of a file's type and permissions (inode(7)).
enum ModeText {
    /// Returns the permissions in the format of chmod(1): `0755`.
    static func mode(_ mode: mode_t) -> String {
        let digits = String(mode & 0o7777, radix: 8)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }

    /// Returns the type of a file.
    static func kind(_ mode: mode_t) -> String {
        switch mode & S_IFMT {
        case S_IFREG: "a regular file"
        case S_IFDIR: "a directory"
        case S_IFIFO: "a named pipe"
        case S_IFSOCK: "a socket"
        case S_IFCHR, S_IFBLK: "a device"
        case S_IFLNK: "a link"
        default: "of an unknown type"
        }
    }
}
