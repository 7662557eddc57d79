import Glibc

@testable import Hooks

/// Faults of the file itself.
extension HookFileFault {
    static let presence = [
        HookFileFault(
            testDescription: "no file",
            code: .missing,
            evidence: "there is no such file",
            remedy: correct,
            mend: { try $0.file("hook") },
            make: { _ in }
        ),
        HookFileFault(
            testDescription: "a link to nothing",
            code: .missing,
            evidence: "is a link to elsewhere, which is not there",
            remedy: "rm PATH, or put the file there",
            mend: { try $0.file("elsewhere") },
            make: { try $0.link("hook", to: "elsewhere") }
        ),
        HookFileFault(
            testDescription: "links in a circle",
            code: .unreadable,
            evidence: "its links lead in a circle",
            remedy: "rm PATH, or correct the links",
            mend: replaced
        ) {
            try $0.link("hook", to: "other")
            try $0.link("other", to: "hook")
        },
    ]

    static let kinds = [
        HookFileFault(
            testDescription: "a directory",
            code: .notRegular,
            evidence: "is a directory, not a regular file",
            remedy: program,
            mend: replaced,
            make: { try $0.directory("hook") }
        ),
        HookFileFault(
            testDescription: "a named pipe",
            code: .notRegular,
            evidence: "is a named pipe, not a regular file",
            remedy: program,
            mend: replaced,
            make: { try ScratchDirectory.check("mkfifo", mkfifo($0("hook"), 0o755)) }
        ),
        HookFileFault(
            testDescription: "a device",
            code: .notRegular,
            evidence: "is a device, not a regular file",
            remedy: program,
            mend: replaced,
            make: { try $0.link("hook", to: "/dev/zero") }
        ),
        HookFileFault(
            testDescription: "a socket",
            code: .notRegular,
            evidence: "is a socket, not a regular file",
            remedy: program,
            mend: replaced
        ) { scratch in
            // mknod(2) makes sockets without root, and none has to be listened on.
            try ScratchDirectory.check("mknod", mknod(scratch("hook"), S_IFSOCK | 0o755, 0))
        },
    ]

    static let rights = [
        HookFileFault(
            testDescription: "of somebody else",
            code: .owner,
            evidence: "belongs to UID 12345, not to root",
            remedy: "chown root:root PATH",
            takesRoot: true
        ) {
            try $0.file("hook")
            try $0.give("hook")
        },
        HookFileFault(
            testDescription: "writable by its group",
            code: .writable,
            evidence: "has mode 0775: its group can write to it",
            remedy: "chmod go-w PATH",
            make: { try $0.file("hook", mode: 0o775) }
        ),
        HookFileFault(
            testDescription: "writable by everybody",
            code: .writable,
            evidence: "has mode 0777: all users can write to it",
            remedy: "chmod go-w PATH",
            make: { try $0.file("hook", mode: 0o777) }
        ),
        HookFileFault(
            testDescription: "set-user-ID",
            code: .setuid,
            evidence: "has mode 4755: it would run with other rights (set-user-ID)",
            remedy: "chmod u-s PATH",
            make: { try $0.file("hook", mode: 0o4755) }
        ),
        HookFileFault(
            testDescription: "set-group-ID",
            code: .setuid,
            evidence: "has mode 2755: it would run with other rights (set-group-ID)",
            remedy: "chmod g-s PATH",
            make: { try $0.file("hook", mode: 0o2755) }
        ),
        HookFileFault(
            testDescription: "set-user-ID and set-group-ID",
            code: .setuid,
            evidence: "has mode 6755: it would run with other rights (set-user-ID and set-group-ID)",
            remedy: "chmod ug-s PATH",
            make: { try $0.file("hook", mode: 0o6755) }
        ),
        HookFileFault(
            testDescription: "not executable",
            code: .notExecutable,
            evidence: "has mode 0644: not executable",
            remedy: "chmod a+rx PATH",
            make: { try $0.file("hook", mode: 0o644) }
        ),
        HookFileFault(
            testDescription: "not executable for its user",
            code: .notExecutable,
            evidence: "has mode 0700: stranger (UID 12345) may not execute it",
            remedy: "chmod a+rx PATH",
            runAs: stranger,
            make: { try $0.file("hook", mode: 0o700) }
        ),
        HookFileFault(
            testDescription: "not readable for its user",
            code: .notExecutable,
            evidence: "has mode 0711: stranger (UID 12345) may not read it, as a script's interpreter has to",
            remedy: "chmod a+rx PATH",
            runAs: stranger,
            make: { try $0.file("hook", mode: 0o711) }
        ),
    ]
}
