import AgentTestKit
import Configuration
import Foundation
import ProbeTestKit
import Testing

/// `reachagent config`, as people and scripts use it.
@Suite struct ConfigCommandTests {
    /// A directory for files, which is that of a service's configuration too.
    private final class Scratch {
        private let directory: TemporaryDirectory
        var path: String { directory.path }

        init() throws { directory = try TemporaryDirectory() }

        @discardableResult
        func write(_ name: String, _ text: String) throws -> String { try directory.file(name, text) }

        func text(_ name: String) -> String? { try? String(contentsOfFile: "\(path)/\(name)", encoding: .utf8) }

        func config(_ arguments: String...) async throws -> FinishedCommand {
            try await FinishedCommand.run(["config"] + arguments, environment: ["CONFIGURATION_DIRECTORY": path])
        }
    }

    private static let web = "[probe.web]\ntarget = 'https://web.test/'\n"

    /// An agent that uses a configuration.
    private static func agent(_ configuration: String) throws -> ScriptedAgent {
        // The socket stays as long as a script is left.
        try ScriptedAgent(
            { connection in
                connection.readLine()
                connection.send(lines: #"{"parameters":{"agent":{"pid":812},"configuration":{\#(configuration)}}}"#)
            },
            { _ in }
        )
    }

    // MARK: check

    @Test func `a valid file is reported with its contents`() async throws {
        let scratch = try Scratch()
        let file = try scratch.write("a.toml", Self.web + "[probe.off]\ntarget = 'icmp://192.0.2.1'\nenabled = false\n")
        let check = try await scratch.config("check", file)
        #expect(check.status == 0)
        #expect(check.output == "\(file): ok, 1 probe (and 1 disabled), 0 targets\n")
        #expect(check.error.isEmpty)
    }

    @Test func `a file that all users can write to is a warning`() async throws {
        let scratch = try Scratch()
        let file = try scratch.write("a.toml", Self.web)
        try #require(chmod(file, 0o666) == 0)
        let check = try await scratch.config("check", file)
        #expect(check.status == 0)
        #expect(check.error.hasPrefix("warning: \(file): has mode "), "\(check.error)")
    }

    @Test func `all errors are reported at once, with status 78`() async throws {
        let scratch = try Scratch()
        let file = try scratch.write("a.toml", Self.web + "rise = 0\nfailures = 3\n")
        let check = try await scratch.config("check", file)
        #expect(check.status == 78)
        #expect(check.output.isEmpty)
        #expect(
            check.error == """
                \(file):3:1: probe.web.rise: 0 is not from 1 to 1000
                \(file):4:1: probe.web.failures: unknown key; did you mean 'fall'?
                2 errors

                """
        )
    }

    @Test func `an interface that this machine does not have is a warning`() async throws {
        let scratch = try Scratch()
        let file = try scratch.write("a.toml", Self.web + "interfaces = [\"nosuchif0\"]\n")
        let check = try await scratch.config("check", file)
        #expect(check.status == 0)
        #expect(
            check.error.hasPrefix(
                "warning: \(file):3:1: probe.web.interfaces: there is no interface 'nosuchif0' at present"
            )
        )
    }

    @Test(arguments: ["wlan9", "eth9", "wwan9"])
    func `for an interface that is not plugged in no kind of interface is suggested`(name: String) async throws {
        let scratch = try Scratch()
        let file = try scratch.write("a.toml", Self.web + "interfaces = [\"\(name)\"]\n")
        let check = try await scratch.config("check", file)
        #expect(check.error.contains("there is no interface '\(name)' at present"), "\(check.error)")
        for kind in ["wifi", "wired", "wwan"] {
            #expect(!check.error.contains("did you mean '\(kind)'?"), "\(check.error)")
        }
    }

    @Test func `drop-ins that are read without their main file are named`() async throws {
        let scratch = try Scratch()
        let main = "\(scratch.path)/reachagent.toml"
        try FileManager.default.createSymbolicLink(atPath: main, withDestinationPath: "/dev/null")
        try FileManager.default.createDirectory(atPath: "\(main).d", withIntermediateDirectories: false)
        let dropIn = try scratch.write("reachagent.toml.d/a.toml", Self.web)
        let check = try await scratch.config("check")
        #expect(check.output == "\(main): ok, 1 probe, 0 targets\n  read: \(dropIn)\n", "\(check.error)")
        let shown = try await scratch.config("show")
        #expect(shown.output.hasPrefix("# \(main): ok, 1 probe, 0 targets\n#   read: \(dropIn)\n"), "\(shown.error)")
        let environment = ["CONFIGURATION_DIRECTORY": scratch.path]
        let list = try await FinishedCommand.run(["hooks", "list"], environment: environment)
        let words = list.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.contains(" configuration \(dropIn) "), "\(list.output)")
        let json = try await FinishedCommand.run(["hooks", "list", "--json"], environment: environment)
        #expect(json.output.contains(#""configuration":"\#(main)","files":["\#(dropIn)"],"#), "\(json.output)")
    }

    @Test func `an agent without files cannot be given one while it runs`() async throws {
        let agent = try Self.agent(#""files":[]"#)
        let check = try await FinishedCommand.run(["config", "check", "--socket", agent.path])
        #expect(check.status == 0, "\(check.error)")
        #expect(
            check.output == """
                there is no configuration file: the defaults apply, and nothing is probed
                  used by the running agent (process 812)
                  it was started with --no-config
                  start it with '--config' or '--probe'

                """
        )
    }

    @Test func `without a file, the searched paths and the next step are reported`() async throws {
        let scratch = try Scratch()
        let check = try await scratch.config("check")
        #expect(check.status == 0)
        #expect(
            check.output == """
                there is no configuration file: the defaults apply, and nothing is probed
                  looked for: \(scratch.path)/reachagent.toml
                  add two probes with: reachagent config init

                """
        )
    }

    @Test func `programs get the same as one object`() async throws {
        let scratch = try Scratch()
        let file = try scratch.write("reachagent.toml", Self.web + "method = 'GTE'\n")
        let check = try await scratch.config("check", "--json")
        #expect(check.status == 0)
        let valid = try #require(JSONSerialization.jsonObject(with: Data(check.output.utf8)) as? [String: Any])
        #expect(valid["valid"] as? Bool == true)
        #expect(valid["path"] as? String == file)
        #expect(valid["files"] as? [String] == [file])
        #expect(valid["probes"] as? Int == 1)
        let warning = try #require((valid["warnings"] as? [[String: Any]])?.first)
        #expect(warning["key"] as? String == "probe.web.method")
        #expect(warning["message"] as? String == "'GTE' is not a known HTTP method; did you mean 'GET'?")
        try scratch.write("reachagent.toml", "\nx = 1\n")
        let wrong = try await scratch.config("check", "--json")
        #expect(wrong.status == 78)
        #expect(wrong.error.isEmpty)
        #expect(
            wrong.output.contains(
                #""errors":[{"file":"\#(file)","line":2,"column":1,"key":"x","message":"unknown key"}]"#
            )
        )
    }

    // MARK: The running agent

    @Test func `the running agent's file is checked, and the agent that uses it is named`() async throws {
        let scratch = try Scratch()
        let file = try scratch.write("service.toml", Self.web)
        let agent = try Self.agent(#""files":["\#(file)"],"path":"\#(file)","loaded":"2100-01-01T00:00:00Z""#)
        let check = try await scratch.config("check", "--socket", agent.path)
        #expect(check.status == 0)
        #expect(check.output == "\(file): ok, 1 probe, 0 targets\n  used by the running agent (process 812)\n")
        #expect(agent.requests == [#"{"method":"status"}"#])
    }

    @Test(.enabled(if: geteuid() == 0, "only root may use another user's permissions"))
    func `root's check reports what the agent's user cannot read`() async throws {
        let scratch = try Scratch()
        let file = try scratch.write("service.toml", Self.web + "header_files = { X-Token = 'token' }\n")
        let token = try scratch.write("token", "secret")
        #expect(chmod(file, 0o644) == 0 && chmod(token, 0o600) == 0)
        for owner in [uid_t(65_534), 0] {
            let agent = try Self.agent(#""files":["\#(file)"],"path":"\#(file)","loaded":"2100-01-01T00:00:00Z""#)
            #expect(chown(agent.path, owner, owner) == 0)
            let check = try await scratch.config("check", "--socket", agent.path)
            guard owner != 0 else {
                #expect(check.status == 0)
                #expect(check.output.hasPrefix("\(file): ok, 1 probe"), "\(check.error)")
                continue
            }
            #expect(check.status == 78)
            let error = "probe.web.header_files: \(token) cannot be opened: Permission denied\n1 error\n"
            #expect(check.error.contains(error), "\(check.error)")
            #expect(check.error.contains("\n  let nobody read it: chown root:"), "\(check.error)")
            #expect(check.error.hasSuffix(" \(token) && chmod 640 \(token)\n"), "\(check.error)")
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root may use another user's permissions"))
    func `root's check reports a directory of certificates that the agent's user cannot list`() async throws {
        let scratch = try Scratch()
        let authorities = "\(scratch.path)/authorities"
        try FileManager.default.createDirectory(atPath: authorities, withIntermediateDirectories: false)
        try scratch.write("authorities/a.pem", try TestAuthority.standard().root.pem)
        let file = try scratch.write("service.toml", Self.web + "ca_file = '\(authorities)'\n")
        #expect(chmod(file, 0o644) == 0 && chmod(authorities, 0o700) == 0)
        let agent = try Self.agent(#""files":["\#(file)"],"path":"\#(file)","loaded":"2100-01-01T00:00:00Z""#)
        #expect(chown(agent.path, 65_534, 65_534) == 0)
        let check = try await scratch.config("check", "--socket", agent.path)
        #expect(check.status == 78)
        let error = "probe.web.ca_file: \(authorities) cannot be read: Permission denied\n1 error\n"
        #expect(check.error.contains(error), "\(check.error)")
        #expect(check.error.hasSuffix(" \(authorities) && chmod 750 \(authorities)\n"), "\(check.error)")
    }

    @Test func `a file that was written after the agent had read it is reported`() async throws {
        let scratch = try Scratch()
        let file = try scratch.write("service.toml", Self.web)
        let agent = try Self.agent(#""files":["\#(file)"],"path":"\#(file)","loaded":"2001-01-01T00:00:00Z""#)
        let check = try await scratch.config("check", "--socket", agent.path)
        #expect(check.output.contains("the agent has not read this yet; apply it with: reachagent reload\n"))
    }

    @Test(arguments: [("2100-01-01T00:00:00Z", 3_600_000, true), ("2001-01-01T00:00:00Z", 0, false)])
    func `a step of the wall clock does not change which file is newer`(
        loaded: String,
        age: Int,
        isNewer: Bool
    ) async throws {
        let scratch = try Scratch()
        let file = try scratch.write("service.toml", Self.web)
        let facts = #""files":["\#(file)"],"path":"\#(file)","loaded":"\#(loaded)","loaded_for_ms":\#(age)"#
        let agent = try Self.agent(facts)
        let check = try await scratch.config("check", "--socket", agent.path)
        #expect(check.output.contains("the agent has not read this yet") == isNewer, "\(check.output)")
    }

    @Test func `a file that replaces another one is newer although it was written before`() async throws {
        let scratch = try Scratch()
        let file = try scratch.write("service.toml", Self.web)
        let written = Date(timeIntervalSinceNow: -7200)
        try FileManager.default.setAttributes([.modificationDate: written], ofItemAtPath: file)
        let agent = try Self.agent(#""files":["\#(file)"],"path":"\#(file)","loaded_for_ms":3600000"#)
        let check = try await scratch.config("check", "--socket", agent.path)
        #expect(check.output.contains("the agent has not read this yet"), "\(check.output)")
    }

    @Test func `a drop-in that the agent has not read is newer whatever its time`() async throws {
        let scratch = try Scratch()
        let file = try scratch.write("service.toml", Self.web)
        try FileManager.default.createDirectory(atPath: "\(file).d", withIntermediateDirectories: false)
        let dropIn = try scratch.write("service.toml.d/a.toml", "[agent]\nlog_level = 'info'\n")
        for (files, isNewer) in [("\"\(file)\"", true), ("\"\(file)\",\"\(dropIn)\"", false)] {
            let agent = try Self.agent(#""files":[\#(files)],"path":"\#(file)","loaded":"2100-01-01T00:00:00Z""#)
            let check = try await scratch.config("check", "--socket", agent.path)
            #expect(check.output.contains("the agent has not read this yet") == isNewer, "\(check.output)")
        }
    }

    @Test func `an agent without a file is queried for the paths that it searches`() async throws {
        let agent = try Self.agent(#""files":[],"searched":["/etc/a.toml","/usr/b.toml"]"#)
        let check = try await Scratch().config("check", "--socket", agent.path)
        #expect(check.status == 0)
        #expect(check.output.contains("\n  used by the running agent (process 812)\n"))
        #expect(check.output.contains("\n  looked for: /etc/a.toml, /usr/b.toml\n"))
    }

    @Test func `a file that the agent found and that was removed since counts as in a reload`() async throws {
        let scratch = try Scratch()
        let file = "\(scratch.path)/gone.toml"
        let facts = #""files":["\#(file)"],"path":"\#(file)","searched":["\#(file)"],"loaded":"2100-01-01T00:00:00Z""#
        let agent = try Self.agent(facts)
        let check = try await scratch.config("check", "--socket", agent.path)
        #expect(check.status == 0, "\(check.error)")
        #expect(check.output.hasPrefix("there is no configuration file: the defaults apply, and nothing is probed\n"))
        #expect(check.output.contains("\n  the agent has not read this yet; apply it with: reachagent reload\n"))
    }

    @Test func `a file that an agent without one has not read yet is checked, and the next step is a reload`()
        async throws
    {
        let scratch = try Scratch()
        let file = try scratch.write("found.toml", Self.web)
        let agent = try Self.agent(#""files":[],"searched":["\#(file)"]"#)
        let check = try await scratch.config("check", "--socket", agent.path)
        #expect(check.output.hasPrefix("\(file): ok, 1 probe, 0 targets\n"))
        #expect(check.output.contains("\n  the agent has not read this yet; apply it with: reachagent reload\n"))
    }

    @Test(arguments: ["check", "show", "init"])
    func `an agent that was named and does not answer is an error`(_ command: String) async throws {
        let result = try await Scratch().config(command, "--socket", "/nonexistent/control.sock")
        #expect(result.status == 69)
        #expect(result.output.isEmpty)
    }

    @Test func `a file and an agent contradict each other`() async throws {
        let result = try await Scratch().config("check", "a.toml", "--socket", "/nonexistent/control.sock")
        #expect(result.status == 64)
    }

    // MARK: show

    @Test func `the values in effect are a configuration that means the same`() async throws {
        let scratch = try Scratch()
        let file = try scratch.write("reachagent.toml", Self.web)
        let shown = try await scratch.config("show")
        #expect(shown.status == 0)
        #expect(shown.output.hasPrefix("# \(file): ok, 1 probe, 0 targets\n"))
        #expect(shown.output.contains("\nprobe.web.target = \"https://web.test/\"    # \(file):2\n"))
        let copy = try scratch.write("copy.toml", shown.output)
        #expect(try await scratch.config("check", copy).status == 0)
        try scratch.write("reachagent.toml", "x = 1\n")
        #expect(try await scratch.config("show").status == 78)
    }

    @Test func `the filter of the help leaves out the defaults, and not a value of that name`() async throws {
        let scratch = try Scratch()
        let file = try scratch.write("reachagent.toml", Self.web + "interfaces = 'default'\n")
        let help = try await scratch.config("show", "--help")
        let filter = try #require(help.lines.first { $0.contains("config show | ") }?.split(separator: "| ").last)
        let shown = try await FinishedCommand.run(
            ["-c", "'\(BuiltAgent.path)' config show '\(file)' | \(filter)"],
            of: "/bin/sh"
        )
        #expect(shown.output.contains("\nprobe.web.interfaces = \"default\"    # \(file):3\n"), "\(shown.output)")
        #expect(!shown.output.contains("# default"))
    }

    @Test func `without a file the defaults are shown`() async throws {
        let shown = try await Scratch().config("show")
        #expect(shown.status == 0)
        #expect(shown.output.hasPrefix("# there is no configuration file"))
        #expect(shown.output.contains("\nsettle.down = \"1s\"    # default\n"))
    }

    // MARK: init

    @Test func `a first configuration is written once, and is valid`() async throws {
        let scratch = try Scratch()
        let first = try await scratch.config("init")
        #expect(first.status == 0, "\(first.error)")
        #expect(first.output.hasPrefix("wrote \(scratch.path)/reachagent.toml\n"))
        #expect(first.output.contains("www.example.org and connectivitycheck.gstatic.com"))
        #expect(scratch.text("reachagent.toml") == InitialConfiguration.text)
        #expect(try await scratch.config("check").output.contains(": ok, 2 probes, 0 targets\n"))
        let second = try await scratch.config("init")
        #expect(second.status == 1)
        #expect(second.error.contains("\(scratch.path)/reachagent.toml has probes already; nothing was written"))
        #expect(scratch.text("reachagent.toml") == InitialConfiguration.text)
    }

    @Test func `beside a file without probes it is a drop-in`() async throws {
        let scratch = try Scratch()
        try scratch.write("reachagent.toml", "# nothing\n")
        let first = try await scratch.config("init")
        #expect(first.status == 0, "\(first.error)")
        #expect(scratch.text("reachagent.toml.d/10-probes.toml") == InitialConfiguration.text)
        #expect(scratch.text("reachagent.toml") == "# nothing\n")
        let second = try await scratch.config("init")
        #expect(second.status == 1)
        let file = "\(scratch.path)/reachagent.toml.d/10-probes.toml"
        #expect(second.error.hasPrefix("reachagent: \(file) has probes already; nothing was written."))
    }

    @Test func `the running agent's configuration is the one that gets the probes`() async throws {
        let scratch = try Scratch()
        let file = try scratch.write("service.toml", "# nothing\n")
        let agent = try Self.agent(#""files":["\#(file)"],"path":"\#(file)""#)
        let result = try await scratch.config("init", "--socket", agent.path)
        #expect(result.status == 0)
        #expect(result.output.contains("\n  apply it: reachagent reload\n"))
        #expect(scratch.text("service.toml.d/10-probes.toml") == InitialConfiguration.text)
    }

    @Test func `a file of another name is written with the directories above it, and never over one`() async throws {
        let scratch = try Scratch()
        let file = "\(scratch.path)/a/b/c.toml"
        let first = try await scratch.config("init", "--output", file)
        #expect(first.status == 0)
        #expect(first.output.contains("reachagent run --config \(file)\n"))
        try scratch.write("a/b/c.toml", "mine")
        let second = try await scratch.config("init", "--output", file)
        #expect(second.status == 1)
        #expect(second.error == "reachagent: \(file) exists; nothing was written. Name another file with '--output'\n")
        #expect(scratch.text("a/b/c.toml") == "mine")
    }

    @Test func `standard output gets the file and nothing else`() async throws {
        let result = try await Scratch().config("init", "--output", "-")
        #expect(result.status == 0)
        #expect(result.output == InitialConfiguration.text)
    }

    @Test(arguments: [("x = 1\n", Int32(78), "is invalid; nothing was written")])
    func `nothing is added to a configuration that is invalid`(text: String, status: Int32, words: String) async throws
    {
        let scratch = try Scratch()
        try scratch.write("reachagent.toml", text)
        let result = try await scratch.config("init")
        #expect(result.status == status)
        #expect(result.error.contains(words))
    }

    @Test func `a path where no file can be created is an error with the system's reason`() async throws {
        let result = try await Scratch().config("init", "--output", "/dev/null/a.toml")
        #expect(result.status == 75)
        #expect(result.error.contains("cannot write /dev/null/a.toml: Not a directory"))
    }
}
