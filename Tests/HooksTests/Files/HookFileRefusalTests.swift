import AgentTestKit
import Glibc
import Testing

@testable import Hooks

/// A fault of a file, and its remedy.
struct HookFileFault: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let code: HookRefusal.Code
    /// The name of the file or directory at fault; `hook` unless it is another one.
    var culprit = "hook"
    let evidence: String
    /// The remedy, with `PATH` in place of the culprit's path.
    let remedy: String
    var runAs: HookAccount?
    /// `true` when only root can make the fault.
    var takesRoot = false
    /// The action that replaces the remedy when the remedy is not a command.
    var mend: (@Sendable (ScratchDirectory) throws -> Void)?
    /// Makes it, below `hook`.
    let make: @Sendable (ScratchDirectory) throws -> Void
}

@Suite
struct HookFileRefusalTests {
    @Test(arguments: faults.filter { !$0.takesRoot })
    func `a faulty file is refused, and the remedy of the refusal fixes it`(fault: HookFileFault) async throws {
        try await check(fault)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give files away"), arguments: faults.filter(\.takesRoot))
    func `a file of another user is refused, and the remedy of the refusal fixes it`(
        fault: HookFileFault
    ) async throws {
        try await check(fault)
    }

    private func check(_ fault: HookFileFault) async throws {
        let scratch = try ScratchDirectory()
        try fault.make(scratch)
        let culprit = fault.culprit.hasPrefix("/") ? fault.culprit : scratch(fault.culprit)
        // A remedy that needs more than its command is mended by the test.
        let remedy = fault.remedy.replacing("PATH", with: culprit)
        let command = fault.mend == nil ? remedy : remedy.hasPrefix("rm ") ? "rm \(culprit)" : nil
        let refusal = HookRefusal(
            fault.code,
            path: culprit,
            evidence: fault.evidence.replacing("PATH", with: culprit).replacing("HOOK", with: scratch("hook"))
                .replacing("SCRATCH", with: scratch.path),
            remedy: remedy,
            command: command
        )
        #expect(throws: refusal) { try HookFile.open(scratch("hook"), runAs: fault.runAs) }

        if let mend = fault.mend {
            try mend(scratch)
        } else {
            let shell = try await FinishedCommand.run(["-c", refusal.remedy], of: "/bin/sh")
            #expect(shell.status == 0, "\(shell.error)")
        }
        #expect(throws: Never.self) { try HookFile.open(scratch("hook"), runAs: fault.runAs) }
    }

    private static let replaced: @Sendable (ScratchDirectory) throws -> Void = { scratch in
        try ScratchDirectory.check("remove", remove(scratch("hook")))
        try scratch.file("hook")
    }

    private static let stranger = HookAccount(uid: 12345, gid: 12345, groups: [12345], name: "stranger")
    private static let correct = "put the file there, or correct the path"
    private static let program = "put a program or a script in its place"

    private static let faults: [HookFileFault] =
        presence + kinds + rights + directories + interpreters + interpreterTrust

    private static let presence = [
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

    private static let kinds = [
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

    private static let rights = [
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
            remedy: "chmod +x PATH",
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

    private static let directories = [
        HookFileFault(
            testDescription: "in a directory that its group can write to",
            code: .directory,
            culprit: "in",
            evidence: "has mode 0775: its group can write to it",
            remedy: "chmod go-w PATH"
        ) {
            try $0.directory("in", mode: 0o775)
            try $0.file("in/file")
            try $0.link("hook", to: "in/file")
        },
        HookFileFault(
            testDescription: "below a directory that everybody can write to",
            code: .directory,
            culprit: "above",
            evidence: "has mode 0777: all users can write to it",
            remedy: "chmod go-w PATH"
        ) {
            try $0.directory("above", mode: 0o777)
            try $0.directory("above/in")
            try $0.file("above/in/file")
            try $0.link("hook", to: $0("above/in/file"))
        },
        HookFileFault(
            testDescription: "reached by a link in a directory that everybody can write to",
            code: .directory,
            culprit: "open",
            evidence: "has mode 0777: all users can write to it",
            remedy: "chmod go-w PATH"
        ) {
            try $0.file("file")
            try $0.directory("open", mode: 0o777)
            try $0.link("open/link", to: "../file")
            try $0.link("hook", to: "open/link")
        },
        HookFileFault(
            testDescription: "in a directory that everybody can write to, with a combining mark after the slash",
            code: .directory,
            culprit: "in",
            evidence: "has mode 0777: all users can write to it",
            remedy: "chmod go-w PATH"
        ) {
            try $0.directory("in", mode: 0o777)
            try $0.file("in/\u{301}file")
            try $0.link("hook", to: "in/\u{301}file")
        },
        HookFileFault(
            testDescription: "reached through the parent of a directory whose name begins with a combining mark",
            code: .directory,
            culprit: "open",
            evidence: "has mode 0777: all users can write to it",
            remedy: "chmod go-w PATH"
        ) {
            try $0.directory("open", mode: 0o777)
            try $0.directory("open/\u{301}in")
            try $0.file("open/file")
            try $0.link("hook", to: "open/\u{301}in/../file")
        },
        HookFileFault(
            testDescription: "in somebody else's directory",
            code: .directory,
            culprit: "in",
            evidence: "belongs to UID 12345, not to root",
            remedy: "chown root:root PATH",
            takesRoot: true
        ) {
            try $0.directory("in")
            try $0.file("in/file")
            try $0.give("in")
            try $0.link("hook", to: "in/file")
        },
        HookFileFault(
            testDescription: "in somebody else's sticky directory",
            code: .directory,
            culprit: "in",
            evidence: "belongs to UID 12345, not to root",
            remedy: "chown root:root PATH",
            takesRoot: true
        ) {
            try $0.directory("in", mode: 0o1777)
            try $0.file("in/file")
            try $0.give("in")
            try $0.link("hook", to: "in/file")
        },
        HookFileFault(
            testDescription: "somebody else's link",
            code: .owner,
            evidence: "belongs to UID 12345, not to root",
            remedy: "chown -h root:root PATH",
            takesRoot: true
        ) {
            try $0.file("file")
            try $0.link("hook", to: "file")
            try $0.give("hook")
        },
    ]

    private static func interpreter(
        _ description: String,
        _ text: String,
        _ evidence: String,
        _ remedy: String,
        repaired: String? = nil
    ) -> HookFileFault {
        var fault = HookFileFault(
            testDescription: description,
            code: .noInterpreter,
            evidence: evidence,
            remedy: remedy,
            make: { try $0.file("hook", text) }
        )
        if let repaired {
            fault.mend = { scratch in
                try ScratchDirectory.check("remove", remove(scratch("hook")))
                try scratch.file("hook", repaired)
            }
        }
        return fault
    }

    /// Interpreters that others could have written, directly, by way of a script, and by env(1).
    private static let interpreterTrust = [
        HookFileFault(
            testDescription: "an interpreter that anybody may write",
            code: .writable,
            culprit: "shell",
            evidence: "has mode 0777: all users can write to it; HOOK is run by it",
            remedy: "chmod go-w PATH"
        ) {
            try $0.file("shell", mode: 0o777)
            try $0.file("hook", "#!\($0("shell"))\n")
        },
        HookFileFault(
            testDescription: "an interpreter with the set-user-ID bit",
            code: .setuid,
            culprit: "shell",
            evidence: "has mode 4755: it would run with other rights (set-user-ID); HOOK is run by it",
            remedy: "chmod u-s PATH"
        ) {
            try $0.file("shell", mode: 0o4755)
            try $0.file("hook", "#!\($0("shell"))\n")
        },
        HookFileFault(
            testDescription: "an interpreter in a directory that anybody may write",
            code: .directory,
            culprit: "open",
            evidence: "has mode 0777: all users can write to it; HOOK is run by it",
            remedy: "chmod go-w PATH"
        ) {
            try $0.directory("open", mode: 0o777)
            try $0.file("open/shell")
            try $0.file("hook", "#!\($0("open/shell")) -e\n")
        },
        HookFileFault(
            testDescription: "an interpreter whose interpreter anybody may write",
            code: .writable,
            culprit: "shell",
            evidence: "has mode 0757: all users can write to it; SCRATCH/script is run by it; HOOK is run by it",
            remedy: "chmod go-w PATH"
        ) {
            try $0.file("shell", mode: 0o757)
            try $0.file("script", "#!\($0("shell"))\n")
            try $0.file("hook", "#!\($0("script"))\n")
        },
        HookFileFault(
            testDescription: "an interpreter by env that anybody may write",
            code: .writable,
            culprit: "shell",
            evidence: "has mode 0777: all users can write to it; HOOK is run by it",
            remedy: "chmod go-w PATH"
        ) {
            try $0.file("shell", mode: 0o777)
            try $0.file("hook", "#!/usr/bin/env \($0("shell"))\n")
        },
        interpreter(
            "an interpreter that env does not find",
            "#!/usr/bin/env no-such-program-anywhere\n",
            "env finds its interpreter no-such-program-anywhere in none of the directories \(HookEnvironment.path)",
            "install no-such-program-anywhere, or correct the first line",
            repaired: "#!/usr/bin/env -S sh -e\n"
        ),
        interpreter(
            "an env that could start anything",
            "#!/usr/bin/env -S PATH=/tmp sh\n",
            "its first line does not determine which program env starts",
            "name the interpreter itself after '#!'",
            repaired: "#!/usr/bin/env sh\n"
        ),
        HookFileFault(
            testDescription: "an interpreter of somebody else's",
            code: .owner,
            culprit: "shell",
            evidence: "belongs to UID 12345, not to root; HOOK is run by it",
            remedy: "chown root:root PATH",
            takesRoot: true
        ) {
            try $0.file("shell")
            try $0.give("shell")
            try $0.file("hook", "#!\($0("shell"))\n")
        },
    ]

    private static let interpreters = [
        interpreter(
            "an interpreter that is not there",
            "#!/nonexistent/perl -w\n",
            "its interpreter /nonexistent/perl is not there",
            "install /nonexistent/perl, or correct the first line",
            repaired: "#!/bin/sh\n"
        ),
        interpreter(
            "an interpreter that is a directory",
            "#!/usr\n",
            "its interpreter /usr is a directory",
            "install /usr, or correct the first line",
            repaired: "#!/bin/sh\n"
        ),
        interpreter(
            "an interpreter that is no program",
            "#!/etc/passwd\n",
            "its interpreter /etc/passwd is not executable",
            "install /etc/passwd, or correct the first line",
            repaired: "#!/bin/sh\n"
        ),
        interpreter(
            "lines of Windows",
            "#!/bin/sh\r\nexit 0\r\n",
            "its first line ends with a carriage return",
            #"sed -i 's/\r$//' PATH"#
        ),
        interpreter(
            "no first line",
            "echo hello\n",
            "has no '#!' line and is not an ELF program",
            "sed -i '1i #!/bin/sh' PATH"
        ),
        interpreter(
            "an empty first line",
            "#!\necho hello\n",
            "its first line names no interpreter after '#!'",
            "sed -i '1i #!/bin/sh' PATH"
        ),
        interpreter(
            "nothing in it",
            "",
            "is empty",
            "write a script into it, with '#!/bin/sh' as its first line",
            repaired: "#!/bin/sh\n"
        ),
        interpreter(
            "a relative interpreter",
            "#!bin/sh\n",
            "its interpreter bin/sh is not an absolute path",
            "write a short absolute path after '#!'",
            repaired: "#!/bin/sh\n"
        ),
        interpreter(
            "a long first line",
            "#!/\(String(repeating: "x", count: 300))\n",
            "its first line is longer than the 256 bytes that the kernel reads",
            "write a short absolute path after '#!'",
            repaired: "#!/bin/sh\n"
        ),
    ]
}
