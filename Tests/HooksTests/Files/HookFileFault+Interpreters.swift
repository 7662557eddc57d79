import Glibc

@testable import Hooks

/// Faults of the program that a script names in its first line.
extension HookFileFault {
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
    static let interpreterTrust = [
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

    static let interpreters = [
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
