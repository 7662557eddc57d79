import AgentEvents
import AgentTestKit
import Foundation
import Testing

/// Files that are not run, each with the reason and the remedy.
@Suite(.withHooks, .onOwnThread, .serialized)
struct IntegrationHookRefusalTests {
    /// A file that is refused.
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let code: String
        /// The beginning of the remedy.
        let remedy: String
        /// Spoils the file, which is right in everything else; `HOOK` is its path, and `DIR` a directory above it.
        let spoil: String
    }

    static let cases = [
        Case(testDescription: "another owner", code: "hook_owner", remedy: "chown ", spoil: "chown 12345 HOOK"),
        Case(
            testDescription: "writable by its group",
            code: "hook_writable",
            remedy: "chmod go-w HOOK",
            spoil: "chmod g+w HOOK"
        ),
        Case(
            testDescription: "writable by everybody",
            code: "hook_writable",
            remedy: "chmod go-w HOOK",
            spoil: "chmod o+w HOOK"
        ),
        Case(testDescription: "set-user-ID", code: "hook_setuid", remedy: "chmod u-s HOOK", spoil: "chmod u+s HOOK"),
        Case(testDescription: "set-group-ID", code: "hook_setuid", remedy: "chmod g-s HOOK", spoil: "chmod g+s HOOK"),
        Case(testDescription: "not executable", code: "hook_not_executable", remedy: "chmod ", spoil: "chmod a-x HOOK"),
        Case(
            testDescription: "a directory of somebody else's",
            code: "hook_directory",
            remedy: "move the hook into a directory that root owns; or, if nothing else uses this one: chown ",
            spoil: "chown 12345 DIR"
        ),
        Case(
            testDescription: "a directory that others can write to",
            code: "hook_directory",
            remedy: "chmod go-w DIR",
            spoil: "chmod go+w DIR"
        ),
        Case(
            testDescription: "no interpreter",
            code: "hook_no_interpreter",
            remedy: "install /no/such/sh, or correct the first line",
            spoil: "printf '#!/no/such/sh\\n' > HOOK"
        ),
        Case(
            testDescription: "a line end of another system",
            code: "hook_no_interpreter",
            remedy: "sed -i",
            spoil: "printf '#!/bin/sh\\r\\n' > HOOK"
        ),
        Case(
            testDescription: "neither script nor program",
            code: "hook_no_interpreter",
            remedy: "sed -i '1i #!/bin/sh' HOOK",
            spoil: "echo 'echo hello' > HOOK"
        ),
        Case(
            testDescription: "a directory instead",
            code: "hook_not_regular",
            remedy: "put a program or a script in its place",
            spoil: "rm HOOK; mkdir HOOK"
        ),
        Case(
            testDescription: "a pipe instead",
            code: "hook_not_regular",
            remedy: "put a program or a script in its place",
            spoil: "rm HOOK; mkfifo HOOK"
        ),
        Case(
            testDescription: "no file",
            code: "hook_missing",
            remedy: "put the file there, or correct the path",
            spoil: "rm HOOK"
        ),
        Case(
            testDescription: "a link that leads nowhere",
            code: "hook_missing",
            remedy: "rm HOOK",
            spoil: "rm HOOK; ln -s /no/such HOOK"
        ),
        Case(
            testDescription: "a link to a file that is not right",
            code: "hook_writable",
            remedy: "chmod go-w DIR/real",
            spoil: "mv HOOK DIR/real; chmod g+w DIR/real; ln -s DIR/real HOOK"
        ),
    ]

    let lab: HookLab

    init() throws {
        lab = try HookLab(in: NetworkNamespace())
        try lab.makeLinks()
    }

    @Test(arguments: cases)
    func `a faulty file is not run, and the event says why and what to do`(_ kind: Case) async throws {
        let hook = try lab.put("programs/deep/hook", "echo has run; touch \(lab.path)/has-run")
        let directory = "\(lab.path)/programs"
        func filled(_ text: String) -> String { text.replacing("HOOK", with: hook).replacing("DIR", with: directory) }
        // The machine's root can do what is another user's there; what the namespace does not know belongs to nobody.
        let spoilt = try await FinishedCommand.run(["-ec", filled(kind.spoil)], of: "/bin/sh")
        #expect(spoilt.status == 0, "\(spoilt.error)")
        let agent = try await HookAgent.start(in: lab, "[hook.spoilt]\ncommand = [\"\(hook)\"]\nat_start = true\n")
        let run = try await agent.completed("spoilt", for: agent.events.first(of: "reachability.changed"))
        #expect(run.run?.ending.outcome == "refused")
        #expect(run.run?.ending.refusal?.code == kind.code)
        #expect(
            run.run?.ending.refusal?.remedy.hasPrefix(filled(kind.remedy)) == true,
            "\(run.run?.ending.refusal?.remedy ?? "")"
        )
        #expect(run.run?.ending.refusal?.evidence.isEmpty == false)
        #expect(run.run?.ending.attempts ?? 0 == 0)
        #expect(lab.text(of: "has-run") == "" && !FileManager.default.fileExists(atPath: "\(lab.path)/has-run"))
        let status = try await agent.ask("status")
        #expect(status.output.contains("spoilt"))
        #expect(try await agent.stop() == 0)
    }

    @Test
    func `a faulty file in a directory does not block the others, and runs after its repair`() async throws {
        let bad = try lab.put("etc/10-bad", "echo bad", mode: 0o775)
        try lab.put("etc/20-good", "echo good")
        let agent = try await HookAgent.start(in: lab)
        let first = try agent.events.first(of: "reachability.changed")
        #expect(try await agent.completed("10-bad", for: first).run?.ending.refusal?.code == "hook_writable")
        #expect(try await agent.completed("20-good", for: first).run?.ending.outcome == "succeeded")
        chmod(bad, 0o755)
        try lab.use(.wifi)
        let second = try await agent.settles(on: "wifi")
        #expect(try await agent.completed("10-bad", for: second).run?.output == "bad\n")
        #expect(try await agent.stop() == 0)
    }

    @Test
    func `an unknown user or group and a missing directory are refusals too`() async throws {
        let agent = try await HookAgent.start(
            in: lab,
            """
            [hook.directory]
            command = ["true"]
            at_start = true
            working_directory = "/no/such/directory"

            [hook.user]
            command = ["true"]
            at_start = true
            user = "no-such-user"
            """
        )
        let first = try agent.events.first(of: "reachability.changed")
        #expect(
            try await agent.completed("directory", for: first).run?.ending.refusal?.code == "hook_working_directory"
        )
        #expect(try await agent.completed("user", for: first).run?.ending.refusal?.code == "hook_user")
        #expect(try await agent.stop() == 0)
    }
}

/// Hooks of another user.
@Suite(.asRoot, .onOwnThread, .serialized)
struct IntegrationHookUserTests {
    @Test
    func `a hook of another user has that one's identity and groups and nothing of the agent's`() async throws {
        let lab = try HookLab(in: NetworkNamespace(root: .machine))
        try lab.makeLinks()
        let script = try lab.put(
            "who.sh",
            """
            echo "$(id -un) $(id -gn) $(id -Gn) $USER $LOGNAME $HOME"
            grep ^Cap /proc/$$/status | grep -v CapBnd
            cat > /dev/null && echo read
            touch \(lab.path)/owned 2> /dev/null || echo denied
            """
        )
        let agent = try await HookAgent.start(
            in: lab,
            "[hook.who]\ncommand = [\"\(script)\"]\nuser = \"nobody\"\nat_start = true\n"
        )
        let run = try await agent.completed("who", for: agent.events.first(of: "reachability.changed"))
        let id = try await FinishedCommand.run(
            [
                "-c",
                "echo $(id -un nobody) $(id -gn nobody) $(id -Gn nobody) nobody nobody $(getent passwd nobody | cut -d: -f6)",
            ],
            of: "/bin/sh"
        )
        let none = ["CapInh", "CapPrm", "CapEff", "CapAmb"].map { "\($0):\t0000000000000000" }
        #expect(run.run?.output?.split(separator: "\n").map(String.init) == id.lines + none + ["read", "denied"])
        #expect(run.run?.ending.outcome == "succeeded")
        #expect(try await agent.stop() == 0)
    }
}
