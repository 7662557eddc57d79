import AgentTestKit
import Foundation
import Testing

/// The command line as an operator meets it: statuses, messages, signals and pipes.
@Suite(.inNamespace, .onOwnThread)
struct IntegrationCommandTests {
    let namespace: NetworkNamespace
    private let agent = BuiltAgent.path

    init() throws { namespace = try NetworkNamespace() }

    @Test("both signals end the agent cleanly, and its last event names them", arguments: [SIGINT, SIGTERM])
    func signals(_ number: Int32) async throws {
        let agent = try await AgentProcess.run(in: namespace)
        let stopped = try await agent.stop(number)
        #expect(stopped.status == 0)
        #expect(stopped.events.map(\.name) == ["agent.stopping"])
        #expect(stopped.events.first?.data.reason == (number == SIGINT ? "SIGINT" : "SIGTERM"))
    }

    @Test("a reader that goes away ends the agent quietly, with status 0, before there is anything more to print")
    func closedPipe() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "status-\(UUID().uuidString)").path()
        let output = try namespace.run("{ \(agent) run; echo $? >\(file); } 2>&1 | head -n 1")
        #expect(output.split(separator: "\n").count == 1)
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "0\n")
    }

    @Test("a single look tells the state, and its status whether the machine is reachable")
    func once() throws {
        #expect(try namespace.run("\(agent) run --once >/dev/null || echo $?") == "1\n")
        try namespace.makeLink("eth0", peer: "far0", address: "192.0.2.2/24", gateway: "192.0.2.1")
        #expect(try namespace.run("\(agent) run --once --format human").hasPrefix("reachable through other eth0 IPv4"))
    }

    @Test("the path to one address is explained, and its status tells whether there is one")
    func route() throws {
        try namespace.makeLink("eth0", peer: "far0", address: "192.0.2.2/24")
        #expect(try namespace.run("\(agent) route 192.0.2.9 --json").contains(#""prefix":"192.0.2.0/24""#))
        let lost = try namespace.run("\(agent) route 198.51.100.1 || echo $?")
        #expect(lost.contains("has no usable path: no_route"))
        #expect(lost.hasSuffix("1\n"))
    }

    @Test("a sandbox without netlink is told in one sentence, with status 69")
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
