import AgentTestKit
import Foundation
import Testing

/// An agent that has used up its file descriptors.
@Suite(.inNamespace, .onOwnThread, .serialized)
struct IntegrationDescriptorTests {
    /// Accepts connections and says nothing, until its standard input ends.
    private static let silent = """
        import socket, sys
        listener = socket.create_server(('0.0.0.0', 9000), backlog=4096)
        print('ready', flush=True)
        sys.stdin.read()
        """

    @Test(arguments: ["json", "none"])
    func `an agent without a free descriptor stops cleanly`(format: String) async throws {
        let namespace = try NetworkNamespace()
        // Checks need a path.
        try namespace.makeLink("eth0", peer: "far0", address: "192.0.2.2/24", gateway: "192.0.2.1")
        let directory = try StreamDirectory(in: namespace)
        let input = Pipe()
        let server = try CommandLines(namespace.command("python3", ["-c", Self.silent]), input: input)
        #expect(await server.next() == "ready")
        // Checks of many targets that hang, each with a connection, and more of them than there are descriptors.
        let probes = (1...64).map { number in
            """
            [probe.p\(number)]
            target = "http://127.0.0.\(number):9000/"
            interval = "60s"
            timeout = "60s"

            """
        }
        let file = "\(directory.path)/agent.toml"
        try probes.joined(separator: "\n").write(toFile: file, atomically: true, encoding: .utf8)
        let limit = 100
        let words = directory.arguments(["--config", file, "--format", format, "--log-level", "error"])
        let line = "ulimit -n \(limit); exec \(([BuiltAgent.path] + words).joined(separator: " ")) 2>&1"
        let agent = try CommandLines(namespace.command("/bin/sh", ["-c", line]))
        let descriptors = "/proc/\(agent.processIdentifier)/fd"
        var attempts = 0
        while try FileManager.default.contentsOfDirectory(atPath: descriptors).count < limit {
            attempts += 1
            try #require(attempts < 500, "the checks do not use up the descriptors")
            try await Task.sleep(for: .milliseconds(20))
        }
        agent.signal(SIGTERM)
        let lines = await agent.rest()
        #expect(await agent.status() == 0, "\(lines.suffix(5))")
        if format == "json" { #expect(lines.last?.contains("reachagent.agent.stopping") == true) }
        let history = try await directory.command("history", "--json", "--directory", directory.journal)
        #expect(history.lines.last?.contains("reachagent.agent.stopping") == true)
        #expect(!FileManager.default.fileExists(atPath: directory.control))
        try input.fileHandleForWriting.close()
    }

    @Test func `the status has the number of clients that the limit of open files allows`() async throws {
        let namespace = try NetworkNamespace()
        let directory = try StreamDirectory(in: namespace)
        let words = directory.arguments(["--format", "json", "--log-level", "error"])
        let line = "ulimit -n 300; exec \(([BuiltAgent.path] + words).joined(separator: " "))"
        let agent = try CommandLines(namespace.command("/bin/sh", ["-c", line]))
        // The sockets are open before the first event.
        _ = await agent.next()
        let sockets = try await directory.status()["sockets"] as? [String: Any]
        let reply = try await directory.command("subscribers", "--json", "--socket", directory.control).output
        let list = try JSONSerialization.jsonObject(with: Data(reply.utf8)) as? [String: Any]
        agent.signal(SIGTERM)
        _ = await agent.rest()
        #expect(list?["limit"] as? Int == 300 - 128)
        #expect(sockets?["limit"] as? Int == 300 - 128)
    }
}
