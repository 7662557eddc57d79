internal import AgentEvents
internal import Glibc

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
            remedy: "rm \(ShellWord.quoted(path)), or put the file there"
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
                remedy: "rm \(ShellWord.quoted(path)), or correct the links"
            )
        case EACCES:
            HookRefusal(
                .unreadable,
                path: path,
                evidence: "cannot be looked at: \(SystemText.of(error))",
                remedy: "let the agent's user search the folders above it (namei -l \(ShellWord.quoted(path)))"
            )
        default:
            HookRefusal(
                .unreadable,
                path: path,
                evidence: "cannot be looked at: \(SystemText.of(error))",
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
            evidence: "is \(SystemText.kind(mode)), not a regular file",
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
        return HookRefusal(
            code,
            path: path,
            evidence: "belongs to UID \(owner), \(wanted)",
            remedy: "chown \(isLink ? "-h " : "")\(user) \(ShellWord.quoted(path))"
        )
    }

    static func writable(_ code: Code, _ path: String, _ mode: mode_t) -> HookRefusal {
        let who = mode & S_IWOTH != 0 ? "everybody" : "its group"
        return HookRefusal(
            code,
            path: path,
            evidence: "has mode \(SystemText.mode(mode)): \(who) can write to it",
            remedy: "chmod go-w \(ShellWord.quoted(path))"
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
            evidence: "has mode \(SystemText.mode(mode)): it would run with other rights (\(bits))",
            remedy: "chmod \(user ? "u" : "")\(group ? "g" : "")-s \(ShellWord.quoted(path))"
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
            evidence: "has mode \(SystemText.mode(mode)): \(name) may not \(verb) it\(why)",
            remedy: "chmod a+rx \(ShellWord.quoted(path))"
        )
    }

    static func start(_ path: String, _ mistake: Interpreter.Mistake) -> HookRefusal {
        let word = ShellWord.quoted(path)
        let remedy =
            switch mistake {
            case .carriageReturn: #"sed -i 's/\r$//' \#(word)"#
            case .relative, .tooLong, .notText: "write a short absolute path after '#!'"
            case .empty: "write a script into it, with '#!/bin/sh' as its first line"
            case .unknownFormat, .unnamed: "sed -i '1i #!/bin/sh' \(word)"
            }
        return HookRefusal(.noInterpreter, path: path, evidence: mistake.description, remedy: remedy)
    }
}
