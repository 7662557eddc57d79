import AgentTestKit
import Foundation
import Testing

/// The command line as an operator meets it: statuses, messages, signals and pipes.
@Suite(.inNamespace, .onOwnThread)
struct IntegrationCommandTests {
    let namespace: NetworkNamespace
    private let directory: TemporaryDirectory
    private let agent = BuiltAgent.path

    init() throws { (namespace, directory) = (try NetworkNamespace(), try TemporaryDirectory()) }

    @Test("both signals stop the agent cleanly, and its last event names the signal", arguments: [SIGINT, SIGTERM])
    func signals(_ number: Int32) async throws {
        let agent = try await AgentProcess.run(in: namespace)
        let stopped = try await agent.stop(number)
        #expect(stopped.status == 0)
        #expect(stopped.events.map(\.name) == ["agent.stopping"])
        #expect(stopped.events.first?.stopReason == (number == SIGINT ? "SIGINT" : "SIGTERM"))
    }

    @Test(
        "as process 1 of a container, too, a command that waits ends by each of the signals",
        arguments: [SIGINT, SIGTERM, SIGHUP],
        ["watch --json --socket", "history --follow --json --directory", "fleet status --server"]
    )
    func processOne(_ number: Int32, _ command: String) async throws {
        let directory = try StreamDirectory(in: namespace)
        let agent = try await directory.agent()
        // A server that says nothing, and what it prints when the command waits for it.
        let silent = """
            import socket, sys
            server = socket.create_server(('127.0.0.1', 4222))
            print('ready', flush=True)
            client = server.accept()
            print('accepted', flush=True)
            sys.stdin.read()
            """
        let input = Pipe()
        let server = try CommandLines(namespace.command("python3", ["-c", silent]), input: input)
        #expect(await server.next() == "ready")
        let subject = command.hasPrefix("watch") ? directory.control : directory.journal
        let isFleet = command.hasPrefix("fleet")
        let words = "\(command) \(isFleet ? "nats://127.0.0.1:4222" : subject)".split(separator: " ").map(String.init)
        let container = ["--pid", "--fork", "--mount-proc", "--kill-child", self.agent] + words
        let program = try CommandLines(namespace.command("unshare", container))
        if isFleet { #expect(await server.next() == "accepted") } else { #expect(await program.next() != nil) }
        let first = try #require(ProcessTable.numbers(ofChildrenOf: program.processIdentifier).first)
        kill(first, number)
        _ = await program.rest()
        #expect(await program.status() == 128 + number)
        #expect(try await agent.stop().status == 0)
        try input.fileHandleForWriting.close()
    }

    @Test("when the reader closes the output, the agent exits quietly with status 0, without waiting for an event")
    func closedPipe() throws {
        let file = "\(directory.path)/status"
        let output = try namespace.run("{ \(agent) run; echo $? >\(file); } 2>&1 | head -n 1")
        #expect(output.split(separator: "\n").count == 1)
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "0\n")
    }

    @Test(
        "output that cannot be written ends a command with status 75 and the reason",
        arguments: ["explain dns_timeout", "interfaces --json", "config init --output -", "--help", "completion bash"]
    )
    func fullOutput(_ command: String) throws {
        let output = try namespace.run("\(agent) \(command) 2>&1 >/dev/full || echo $?")
        #expect(output == "reachagent: cannot write to standard output: No space left on device\n75\n")
    }

    @Test("following the events ends as well when they cannot be written")
    func fullFollower() async throws {
        let directory = try StreamDirectory(in: namespace)
        let agent = try await directory.agent()
        let followers = [
            "watch --json --socket \(directory.control)", "history --follow --directory \(directory.journal)",
        ]
        for follower in followers {
            let output = try namespace.run("timeout 30 \(self.agent) \(follower) 2>&1 >/dev/full || echo $?")
            #expect(output == "reachagent: cannot write to standard output: No space left on device\n75\n")
        }
        #expect(try await agent.stop().status == 0)
    }

    @Test("a closed output is not an error", arguments: ["explain dns_timeout", "interfaces --json"])
    func noOutput(_ command: String) throws {
        let output = try namespace.run("{ \(agent) \(command) >&- || echo $? >&2; } 2>&1")
        #expect(output == "")
    }

    @Test("a non-blocking pipe, as ssh and node make, gets the whole output")
    func nonblockingPipe() throws {
        let whole = try namespace.run("\(agent) completion bash | wc -c")
        let script = """
            import fcntl, os, subprocess, sys
            reader, writer = os.pipe()
            fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
            os.set_blocking(writer, False)
            command = subprocess.Popen(sys.argv[1:], stdout=writer)
            os.close(writer)
            count = 0
            while block := os.read(reader, 512):
                count += len(block)
            print(count)
            sys.exit(command.wait())
            """
        let file = try directory.file("pipe.py", script)
        #expect(try namespace.run("python3 \(file) \(agent) completion bash") == whole)
    }

    @Test("an error that nobody reads does not hold up the end")
    func unreadError() throws {
        let script = """
            import os, subprocess, sys
            reader, writer = os.pipe()
            os.set_blocking(writer, False)
            try:
                while True: os.write(writer, bytes(4096))
            except BlockingIOError:
                pass
            print(subprocess.run(sys.argv[1:], stderr=writer, timeout=30).returncode)
            """
        let file = try directory.file("unread-error.py", script)
        #expect(try namespace.run("python3 \(file) \(agent) explain --no-such-option") == "64\n")
    }

    @Test("a terminal that nobody reads does not hold up the end")
    func unreadTerminal() throws {
        try namespace.makeLink("eth0", peer: "far0", address: "192.0.2.2/24", gateway: "192.0.2.1")
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "unread-terminal.py").path()
        let output = try namespace.run("python3 \(script) \(agent) eth0")
        let (status, seconds) = try #require(output.wholeMatch(of: /(\d+) ([\d.]+)\n/).map { ($0.1, $0.2) })
        #expect(status == "0")
        // A second for the reader, and one for the write to the terminal, which nothing interrupts.
        #expect(try #require(Double(seconds)) < 5)
    }

    @Test("a watch in the background leaves the terminal alone until it is in the foreground")
    func backgroundWatch() async throws {
        let directory = try StreamDirectory(in: namespace)
        let agent = try await directory.agent()
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "background-job.py").path()
        let words = [script, self.agent, "status", "--watch", "--socket", directory.control]
        let result = try await namespace.finished("/usr/bin/python3", words, patience: 120)
        let expected = """
            background: stopped by SIGTTOU False lines
            bg: stopped by SIGTTOU False
            fg: keys
            Ctrl-Z: stopped by SIGSTOP lines
            bg: stopped by SIGTTOU 0
            q: ended with 0 lines
            background: stopped by SIGTTOU
            SIGTERM: ended with -15 lines

            """
        #expect(result.output == expected, "\(result.error)")
        #expect(try await agent.stop().status == 0)
    }

    @Test("run --once prints the state, and its exit status says whether the machine is reachable")
    func once() throws {
        #expect(try namespace.run("\(agent) run --once >/dev/null || echo $?") == "1\n")
        try namespace.makeLink("eth0", peer: "far0", address: "192.0.2.2/24", gateway: "192.0.2.1")
        let state = try namespace.run("\(agent) run --once --no-config --format human")
        #expect(state.hasPrefix("reachable through other eth0 IPv4"))
        #expect(state.hasSuffix("next: use '--config' or '--probe'\n"))
    }

    @Test("route explains the path to an address, and its exit status says whether there is one")
    func route() throws {
        try namespace.makeLink("eth0", peer: "far0", address: "192.0.2.2/24")
        #expect(try namespace.run("\(agent) route 192.0.2.9 --json").contains(#""prefix":"192.0.2.0/24""#))
        let lost = try namespace.run("\(agent) route 198.51.100.1 || echo $?")
        #expect(lost.contains("has no usable path: no_route"))
        #expect(lost.hasSuffix("1\n"))
    }

    @Test(
        "no control character of an interface name reaches a terminal",
        arguments: ["interfaces", "route 192.0.2.9", "run --once --format human"]
    )
    func hostileName(_ command: String) throws {
        try namespace.run(
            #"""
            name=$(printf 'e\033[2J\342\200\256')
            ip link add "$name" type veth peer name far0
            ip link set far0 up; ip link set "$name" up; ip addr add 192.0.2.2/24 dev "$name"
            ip route add default via 192.0.2.1 dev "$name"
            for attempt in $(seq 1000); do
              [ "$(cat "/sys/class/net/$name/operstate")" != up ] || exit 0
            done
            exit 1
            """#
        )
        let output = try namespace.run("\(agent) \(command)")
        #expect(output.contains(#"e\u{1b}[2J\u{202e}"#))
        let active = output.unicodeScalars.filter { scalar in
            scalar != "\n" && [.control, .format].contains(scalar.properties.generalCategory)
        }
        #expect(active.isEmpty)
    }

    @Test("the path to a configured target is shown with the configured interface kind")
    func names() throws {
        try namespace.makeLink("eth0", peer: "far0", address: "192.0.2.2/24")
        let text = """
            [target.office]
            address = "192.0.2.9"
            [interfaces]
            kinds = { eth0 = "wwan" }
            """
        let file = try directory.file("names.toml", text)
        let path = try namespace.run("\(agent) route office --config \(file)")
        #expect(path.hasPrefix("192.0.2.9 leaves through wwan eth0"), "\(path)")
        let interfaces = try namespace.run("\(agent) interfaces --config \(file)")
        #expect(interfaces.split(separator: "\n").contains { $0.hasPrefix("eth0") && $0.contains("wwan") })
    }

    @Test("the first broken layer is named, with the evidence in a file that only its owner can read")
    func diagnosis() throws {
        let diagnose = "\(agent) diagnose --socket /nonexistent.sock"
        let lost = try namespace.run("\(diagnose) || echo status $?")
        #expect(lost.hasPrefix("error  link: there is no interface with a medium [link_down]"), "\(lost)")
        #expect(lost.hasSuffix("status 1\n"))
        try namespace.makeLink("eth0", peer: "far0", address: "192.0.2.2/24")
        let unrouted = try namespace.run("\(diagnose) --json || true")
        #expect(unrouted.contains(#""verdict":"error","layer":"route","code":"no_route""#), "\(unrouted)")
        let file = "\(directory.path)/page"
        #expect(try namespace.run("\(diagnose) wob 2>&1 || echo status $?").hasSuffix("is https://wob/\nstatus 64\n"))
        let secret = try namespace.run("\(diagnose) 'http://127.0.0.1:1/?token=hunter2' || echo status $?")
        #expect(!secret.contains("hunter2"))
        #expect(secret.contains("connect_refused"))
        // A file that exists has a mode already.
        let head = try namespace.run(
            "install -m 644 /dev/null \(file); \(diagnose) --output \(file) 2>&1 || stat -c %a \(file)"
        )
        #expect(head.contains("the evidence is in \(file)"))
        #expect(head.hasSuffix("600\n"))
        #expect(try String(contentsOfFile: file, encoding: .utf8).contains("192.0.2.2/24"))
    }

    @Test("in a sandbox without netlink, the agent exits with status 69 and one sentence")
    func noNetlink() throws {
        let sandbox = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "without-netlink.py").path()
        let output = try namespace.run(
            "python3 \(sandbox) \(agent) run --no-journal --no-sockets 2>&1 || echo status $?"
        )
        #expect(output.hasPrefix("reachagent: the kernel's netlink is not available: open a netlink socket: "))
        #expect(output.hasSuffix("status 69\n"))
        #expect(output.split(separator: "\n").count == 2)
    }
}
