import AgentTestKit
import Foundation
import Testing

/// Checks on request: they hide nothing, and make no flood of connections.
@Suite(.inNamespace, .onOwnThread, .serialized)
struct IntegrationCheckRequestTests {
    /// Asks for checks until it reads a line, and then prints how long that was, and how the requests ended.
    private static let asker = """
        import json, select, socket, sys, time
        path, pause = sys.argv[1], float(sys.argv[2])
        client = socket.socket(socket.AF_UNIX)
        client.connect(path)
        lines, start, answers = client.makefile('rwb'), time.monotonic(), {'begun': 0}
        print('ready', flush=True)
        while not select.select([sys.stdin], [], [], pause)[0]:
            lines.write(b'{"method":"probe","parameters":{"name":"web"}}\\n')
            lines.flush()
            reply = json.loads(lines.readline())
            name = reply.get('error', 'begun')
            assert name == 'begun' or 0 < reply['parameters']['retry_after_ms'] <= 500, reply
            answers[name] = answers.get(name, 0) + 1
        print(time.monotonic() - start, answers['begun'], answers.get('too_many_checks', 0), flush=True)
        """

    private static func probe(_ network: ConnectivityNetwork) -> String {
        """
        [probe.web]
        target = "http://web.test/"
        families = "ipv4"
        interval = "120s"
        fast_interval = "60s"
        timeout = "1s"
        fall = 3


        """
    }

    @Test(arguments: [("reject with tcp reset", "connect_refused"), ("drop", "connect_timeout")])
    func `a user that requests a check every 5 ms sees the target go down, over one connection a second`(
        rule: String,
        code: String
    ) async throws {
        let network = try ConnectivityNetwork()
        try await network.webServer()
        let agent = try ConnectivityAgent(on: network, Self.probe(network))
        try await agent.settles("wired full")
        // A connection is counted by its first packet; the kernel repeats it after a second, which is the timeout.
        try network.forward("tcp dport 80 ct state new limit rate 1000/second counter \(rule)")
        let input = Pipe()
        let words = ["-c", Self.asker, agent.control, "0.005"]
        let asker = try CommandLines(network.command("python3", words), input: input)
        #expect(await asker.next() == "ready")
        try await agent.probe("web ipv4", is: "down \(code)")
        // A line: the end of the input does not come while a program of another test holds a copy of the pipe.
        try input.fileHandleForWriting.write(contentsOf: Data("\n".utf8))
        let result = try #require(await asker.next()).split(separator: " ").compactMap { Double($0) }
        try #require(result.count == 3)
        let (elapsed, begun, refused) = (result[0], result[1], result[2])
        // By schedule alone the third failure would come 120 s after the first one.
        #expect(elapsed < 60)
        let packets = try network.countedPackets()
        let perCheck = rule == "drop" ? 2 : 1
        #expect(packets >= 3)
        #expect(packets <= (Int(elapsed) + 2) * perCheck, "\(packets) packets in \(elapsed) s")
        // 20 at once, and 2 in each second.
        #expect(begun <= 20 + 2 * elapsed + 1)
        #expect(refused > 0)
        #expect(try await agent.stop() == 0)
    }

    @Test func `requests that join every check let a target that does not answer go down`() async throws {
        let network = try ConnectivityNetwork()
        try await network.webServer()
        let agent = try ConnectivityAgent(on: network, Self.probe(network))
        try await agent.settles("wired full")
        try network.forward("tcp dport 80 drop")
        // As many as 'fall'. A check takes as long as the agent waits before it starts the next one, and each is joined.
        for _ in 0..<3 {
            let answer = try await agent.ask("check", "web", "--no-wait")
            #expect(answer.status == 0)
            #expect(answer.output.contains("1 check"), "\(answer.output)")
            let joined = try await agent.ask("check", "web")
            #expect(joined.status == 1)
            #expect(joined.output.contains("connect_timeout"), "\(joined.output)")
        }
        try await agent.probe("web ipv4", is: "down connect_timeout")
        #expect(try await agent.stop() == 0)
    }

    @Test(arguments: [[], ["--json"], ["--no-wait"]])
    func `'check' of a probe whose interface is missing is not a success`(options: [String]) async throws {
        let network = try ConnectivityNetwork()
        let agent = try ConnectivityAgent(
            on: network,
            Self.probe(network).replacing("families", with: "interfaces = [\"no-such-if\"]\nfamilies")
        )
        try await agent.next("reachability.changed", "state")
        let arguments = ["check", "web", "--socket", agent.control] + options
        let answer = try await FinishedCommand.run(arguments)
        #expect(answer.status == 75)
        #expect(answer.output.isEmpty)
        #expect(answer.error.hasPrefix("reachagent: nothing to check at the moment"), "\(answer.error)")
        #expect(try await agent.stop() == 0)
    }
}
