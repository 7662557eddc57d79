import AgentTestKit
import Foundation
import ProbeTestKit
import Testing

/// `reachagent probe` and `reachagent trust evaluate` as an operator meets them: statuses, output and messages.
struct IntegrationProbeTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private struct Report: Decodable {
        struct Hop: Decodable {
            struct TLS: Decodable {
                struct Trust: Decodable {
                    struct Certificate: Decodable {
                        let subject: String
                        let pin: String
                    }
                    let accepted: Bool
                    let presented: [Certificate]
                }
                let version: String?
                let trust: Trust?
            }
            let peer: String?
            let tls: TLS?
        }
        let verdict: String
        let code: String?
        let hops: [Hop]
    }

    private func report(_ command: FinishedCommand) throws -> Report {
        #expect(command.lines.count == 1)
        return try JSONDecoder().decode(Report.self, from: Data(command.output.utf8))
    }

    /// A chain that is valid for years around the present, and its root as a file.
    private func fixture() throws -> (authority: TestAuthority, rootFile: String) {
        let authority = try TestAuthority.standard(names: ["host.test"])
        return (authority, try directory.file("root.pem", authority.root.pem))
    }

    @Test("a target that answers as expected gives status 0, with every fact on one line of JSON")
    func accepted() async throws {
        let (authority, root) = try fixture()
        let server = try await ScriptedServer.start(
            [.serve(.json(#"{"status":{"code":0}}"#))],
            tls: ServerTLS(authority.leaf, intermediates: [authority.intermediate])
        )
        let command = try await FinishedCommand.run([
            "probe", "https://host.test:\(server.port)/", "--connect-to", "127.0.0.1:\(server.port)", "--ca-file", root,
            "--at", "2026-06-01T12:00:00Z", "--expect-json", "status.code=0", "--json",
            "--timeout", "60s",
        ])
        await server.shutDown()
        let report = try report(command)
        #expect(command.status == 0)
        #expect(report.verdict == "ok")
        #expect(report.hops.first?.peer == "127.0.0.1:\(server.port)")
        #expect(report.hops.first?.tls?.version == "TLSv1.3")
        #expect(report.hops.first?.tls?.trust?.accepted == true)
    }

    @Test("a rejected certificate gives status 1 before a byte of the request is sent, and is still described")
    func refused() async throws {
        let (authority, root) = try fixture()
        let server = try await ScriptedServer.start(
            [.serve(.text("hello"))],
            tls: ServerTLS(authority.leaf, intermediates: [authority.intermediate])
        )
        let command = try await FinishedCommand.run([
            "probe", "https://other.test:\(server.port)/", "--connect-to", "127.0.0.1:\(server.port)", "--ca-file",
            root, "--at", "2026-06-01T12:00:00Z", "--json",
        ])
        await server.ended(connections: 1)
        let requests = server.requests
        await server.shutDown()
        let report = try report(command)
        #expect(command.status == 1)
        #expect(report.code == "tls_hostname")
        #expect(report.hops.first?.tls?.trust?.presented.first?.subject == "CN=host.test")
        #expect(report.hops.first?.tls?.trust?.presented.first?.pin.hasPrefix("sha256//") == true)
        #expect(requests.isEmpty)
    }

    @Test(
        "a probe that cannot be made gives status 64, 75 or 78 and one sentence",
        arguments: [
            (["probe", "ftp://host.test/"], Int32(64), "scheme 'ftp' cannot be probed"),
            (["probe", "http://127.0.0.1:1/", "--interface", "no-such-if"], 75, "interface_unknown"),
            (["probe", "https://127.0.0.1:1/", "--ca-file", "/no/such/file"], 78, "/no/such/file"),
            (["probe", "http://127.0.0.1:1/", "--pin-mode", "certificate"], 78, "pinning needs TLS"),
            (["probe", "http://127.0.0.1:1/", "--expect-status", "2xx"], 64, "2xx"),
            (["probe", "http://127.0.0.1:1/", "--form", "a=b", "--json-body", "{}"], 64, "only one of"),
            (["probe", "http://u:secret@127.0.0.1:1/"], 64, "--basic-auth-file"),
        ]
    )
    func refusals(_ arguments: [String], _ status: Int32, _ part: String) async throws {
        let command = try await FinishedCommand.run(arguments)
        #expect(command.status == status)
        #expect((command.output + command.error).contains(part))
        #expect(!(command.output + command.error).contains("secret"))
    }

    @Test("a request is shown byte for byte, and nothing is sent")
    func printRequest() async throws {
        let command = try await FinishedCommand.run(
            ["probe", "http://host.invalid/a?b=c", "--print-request", "--query", "d=é f", "--header", "X-A: 1"],
            environment: ["LANG": "de_DE.UTF-8"]
        )
        #expect(command.status == 0)
        #expect(
            command.output.hasPrefix(
                "GET /a?b=c&d=%C3%A9%20f HTTP/1.1\r\nHost: host.invalid\r\nUser-Agent: reachagent/"
            )
        )
        #expect(command.output.contains("\r\nX-A: 1\r\n"))
        #expect(command.output.hasSuffix("\r\nConnection: close\r\n\r\n"))
    }

    @Test(
        "parameters keep their order, and null, arrays and nesting can be expressed",
        arguments: [
            (
                ["--query", "t=b", "--query", "t=a", "--query", "t=b", "--query", "flag", "--query", "l[]=1"],
                "GET /?flag&l%5B%5D=1&t=b&t=a&t=b HTTP/1.1\r\n"
            ),
            (["--form", "t=b", "--form", "t=a", "--form", "u[n]=x"], "\r\n\r\nt=b&t=a&u%5Bn%5D=x"),
            (
                ["--json-field", "n:=5", "--json-field", "u[tags][]=a", "--json-field", "gone"],
                "\r\n\r\n{\"gone\":null,\"n\":5,\"u\":{\"tags\":[\"a\"]}}"
            ),
        ]
    )
    func parameters(_ arguments: [String], _ part: String) async throws {
        let command = try await FinishedCommand.run(["probe", "http://host.invalid/", "--print-request"] + arguments)
        #expect(command.status == 0)
        #expect(command.output.contains(part), "\(command.output)")
    }

    @Test("a chain that is longer than allowed is rejected", arguments: [(0, Int32(1)), (1, 0)])
    func depth(_ depth: Int, _ status: Int32) async throws {
        let (authority, root) = try fixture()
        let chain = try directory.file("chain.pem", authority.presentedPEM)
        let command = try await FinishedCommand.run([
            "trust", "evaluate", "--leaf", chain, "--roots", root, "--host", "host.test", "--at",
            "2026-06-01T12:00:00Z",
            "--max-depth", "\(depth)", "--json",
        ])
        #expect(command.status == status)
        #expect(command.output.contains("tls_path_length") == (status == 1))
    }

    @Test("a batch answers each line in order, including lines that are not valid questions")
    func batch() async throws {
        let authority = try TestAuthority.standard(names: ["host.test"])
        func question(_ identifier: String, _ host: String) throws -> String {
            let object: [String: Any] = [
                "id": identifier, "roots": [authority.root.pem], "intermediates": [authority.intermediate.pem],
                "leaf": authority.leaf.pem, "host": host, "ip": NSNull(), "time": "2026-06-01T12:00:00Z",
                "max_depth": NSNull(),
            ]
            return String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self)
        }
        let input = try [question("a", "host.test"), "{", #"{"id":7}"#, question("b", "other.test")].joined(
            separator: "\n"
        )
        let command = try await FinishedCommand.run(["trust", "evaluate", "--batch"], input: input)
        #expect(command.status == 0)
        #expect(command.lines.count == 4)
        #expect(command.lines.first == #"{"id":"a","ok":true,"code":null,"findings":[]}"#)
        #expect(command.lines.dropFirst().first?.hasPrefix(#"{"id":null,"ok":false,"code":"invalid_question""#) == true)
        #expect(command.lines.dropFirst(2).first?.hasPrefix(#"{"id":7,"ok":false,"code":"invalid_question""#) == true)
        #expect(command.lines.last?.hasPrefix(#"{"id":"b","ok":false,"code":"tls_hostname""#) == true)
    }
}
