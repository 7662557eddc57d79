import AgentEvents
import AgentTestKit
import Foundation
import ProbeTestKit
import Testing

/// The built agent's HTTP server among hostile clients, and its ports for other machines over a reload.
@Suite(.inNamespace, .onOwnThread, .serialized, .timeLimit(.minutes(3)))
struct IntegrationHTTPTests {
    private static let scripts = URL(filePath: #filePath).deletingLastPathComponent()
    private static let users = "alice:$2y$05$abcdefghijklmnopqrstuuOQiyCxlgf/oeuTqixKmWdcYUh4Hjl0a\n"

    /// The result of `hostile-http-clients.py`.
    private struct Measurement: Decodable {
        let longest: Int
        let answers: Int
        let failures: [String]
        let memory: Int
    }

    /// Writes a certificate and its key as they are configured.
    private func writeCertificate(_ directory: StreamDirectory) throws -> TestAuthority {
        let authority = try TestAuthority.standard()
        try authority.presentedPEM.write(toFile: "\(directory.path)/http.pem", atomically: true, encoding: .utf8)
        try write(authority.leaf.key.pkcs8PEM, "http.key", directory)
        return authority
    }

    private func write(_ secret: String, _ name: String, _ directory: StreamDirectory) throws {
        try secret.write(toFile: "\(directory.path)/\(name)", atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: "\(directory.path)/\(name)")
    }

    private func agent(in directory: StreamDirectory) async throws -> AgentProcess {
        let configuration = """
            [agent]
            max_connections = 512

            [http]
            listen = ["127.0.0.1:9718", "0.0.0.0:9719", "[::]:9719"]
            tls_certificate = "http.pem"
            tls_key = "http.key"
            basic_auth_file = "users"
            """
        try configuration.write(toFile: "\(directory.path)/agent.toml", atomically: true, encoding: .utf8)
        try write(Self.users, "users", directory)
        return try await directory.agent("--config", "\(directory.path)/agent.toml")
    }

    @Test func `13 kinds of hostile clients block no other client, and take bounded memory`() async throws {
        let namespace = try NetworkNamespace()
        try namespace.makeLink("eth0", peer: "far0", address: "192.0.2.2/24", gateway: "192.0.2.1")
        let directory = try StreamDirectory(in: namespace)
        _ = try writeCertificate(directory)
        let agent = try await agent(in: directory)
        let script = Self.scripts.appending(path: "hostile-http-clients.py").path()
        let arguments = [script, "\(directory.sockets)/http.sock", "9718", "9719", "\(agent.processIdentifier)"]
        let result = try await namespace.finished("python3", arguments, patience: 120)
        #expect(result.status == 0, "\(result.error)")
        #expect(result.lines.count == 14)
        for line in result.lines.dropLast() { #expect(line.hasSuffix(" ok"), "\(line)") }
        let measured = try JSONDecoder().decode(Measurement.self, from: Data((result.lines.last ?? "").utf8))
        #expect(measured.failures.isEmpty && measured.answers > 20, "\(measured)")
        #expect(measured.longest < 2000, "\(measured)")
        #expect(measured.memory < 256 << 10, "\(measured)")
        #expect(try await agent.stop().status == 0)
    }

    @Test func `a reload takes a new certificate and new passwords, and closes the earlier connections`() async throws {
        let namespace = try NetworkNamespace()
        try namespace.makeLink("eth0", peer: "far0", address: "192.0.2.2/24", gateway: "192.0.2.1")
        let directory = try StreamDirectory(in: namespace)
        let first = try writeCertificate(directory)
        let agent = try await agent(in: directory)
        func presented(_ address: String) throws -> String {
            try namespace.run("openssl s_client -connect \(address) </dev/null 2>/dev/null | openssl x509 -outform PEM")
        }
        func bytes(_ pem: String) -> String { pem.filter { !$0.isWhitespace } }
        for address in ["127.0.0.1:9719", "192.0.2.2:9719", "[::1]:9719"] {
            #expect(bytes(try presented(address)) == bytes(first.leaf.pem), "\(address)")
        }
        let request = "GET /events HTTP/1.1\\r\\nHost: localhost\\r\\nAuthorization: Basic YWxpY2U6c2VjcmV0\\r\\n\\r\\n"
        let command = "printf '\(request)' | openssl s_client -quiet -connect 127.0.0.1:9719 2>/dev/null"
        let stream = try CommandLines(namespace.command("/bin/sh", ["-c", command]))
        try await stream.next(containing: "network.snapshot")

        let second = try writeCertificate(directory)
        try write(Self.users + "bob:\(Self.users.dropFirst("alice:".count))", "users", directory)
        let reload = try await directory.command("reload", "--socket", directory.control)
        #expect(reload.status == 0 && reload.output.contains("http"), "\(reload.output)\(reload.error)")
        while await stream.next() != nil {}
        #expect(bytes(try presented("127.0.0.1:9719")) == bytes(second.leaf.pem))

        // A file that is wrong changes nothing.
        try write("alice:secret\n", "users", directory)
        #expect(try await directory.command("reload", "--socket", directory.control).status != 0)
        #expect(bytes(try presented("127.0.0.1:9719")) == bytes(second.leaf.pem))
        #expect(try await agent.stop().status == 0)
    }

    @Test func `a report over HTTP has the bytes of the command`() async throws {
        let namespace = try NetworkNamespace()
        try namespace.makeLink("eth0", peer: "far0", address: "192.0.2.2/24", gateway: "192.0.2.1")
        let directory = try StreamDirectory(in: namespace)
        _ = try writeCertificate(directory)
        let agent = try await agent(in: directory)
        // Time without a path is known without a probe too.
        try namespace.ip("link set eth0 down")
        try await agent.settles(on: "none")
        try namespace.run("ip link set eth0 up && ip route add default via 192.0.2.1 dev eth0 metric 100")
        try await agent.next("reachability.changed") { $0.to?.via.rawValue != "none" }
        // What ends before now is the same for both.
        let now = try namespace.run("date -u +%Y-%m-%dT%H:%M:%S.%6NZ").split(separator: "\n").first ?? ""
        let command = try await directory.command(
            "report",
            "--format",
            "json",
            "--directory",
            directory.journal,
            "--since",
            "2026-01-01",
            "--until",
            "\(now)",
            "--slo",
            "99.5"
        )
        #expect(command.status == 0 && command.output.hasPrefix("{"), "\(command.error)")
        func answer(_ query: String) throws -> String {
            let script = """
                import http.client, sys
                client = http.client.HTTPConnection("127.0.0.1", 9718)
                client.request("GET", "/api/report?\(query)")
                answer = client.getresponse()
                sys.stdout.write(f"{answer.status} {answer.read().decode()}")
                """
            return try namespace.run("python3 - <<'END'\n\(script)\nEND")
        }
        // All but the end of what is known: the agent lives on between the two.
        func settled(_ report: String) -> String { report.replacing(/"last":"[^"]*"/, with: "") }
        let report = try answer("since=2026-01-01&until=\(now)&slo=99.5")
        #expect(settled(report) == settled("200 \(command.output)"), "\(report)\n\(command.output)")
        let month = try answer("month=2026-13")
        #expect(month.hasPrefix("400 ") && month.contains("expected a month such as 2026-10"), "\(month)")
        #expect(try answer("until=2026-01-02").contains("'until' needs 'since'"))
        #expect(try answer("probe=none").hasPrefix("404 "))
        #expect(try await agent.stop().status == 0)
    }
}
