import AgentTestKit
import Foundation
import ProbeTestKit
import Probes
import Testing

/// The programs of `examples/libraries`, as `make examples` builds them beside the agent.
struct IntegrationExampleTests {
    private static let pathMonitor = program("path-monitor")
    private static let pinnedCheck = program("pinned-check")
    private static let obstacle: Comment = "the examples are not built: `make examples` does that"

    private static func program(_ name: String) -> String {
        BuiltAgent.productsDirectory.appending(path: name).path()
    }

    private static func isBuilt(_ path: String) -> Bool { FileManager.default.isExecutableFile(atPath: path) }

    @Test(.inNamespace, .enabled(if: isBuilt(pathMonitor), obstacle))
    func `path-monitor prints the path as it appears and disappears`() async throws {
        let namespace = try NetworkNamespace()
        let monitor = try CommandLines(namespace.command(Self.pathMonitor, []))
        #expect(await monitor.next() == "ipv4: none: no route; ipv6: none: no route")
        try namespace.makeLink("wlan0", peer: "ap0", address: "192.0.2.2/24", gateway: "192.0.2.1")
        try await monitor.next(containing: "via 192.0.2.1 dev wlan0 src 192.0.2.2; ipv6")
        // The kernel keeps the route, and would still answer with the dead interface.
        try namespace.ip("link set ap0 down")
        try await monitor.next(containing: "ipv4: none: wlan0 cannot pass packets")
        monitor.end()
    }

    @Test(
        .enabled(if: isBuilt(pinnedCheck), obstacle),
        arguments: [
            (isOwn: true, status: Int32(0), line: "ok: https://127.0.0.1:"),
            (isOwn: false, status: 1, line: "failed: tls_pin_mismatch in phase tls"),
        ]
    )
    func `pinned-check accepts the key that is pinned, and no other`(
        _ isOwn: Bool,
        _ status: Int32,
        _ line: String
    ) async throws {
        let authority = try TestAuthority(
            leaf: .server(names: ["host.test"], addresses: ["127.0.0.1"]).with {
                $0.notBefore = Date(timeIntervalSinceNow: -86_400)
                $0.notAfter = Date(timeIntervalSinceNow: 86_400)
            }
        )
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let root = try directory.file("root.pem", authority.root.pem)
        let server = try await ScriptedServer.start(
            [.serve(.text("hello"))],
            tls: ServerTLS(authority.leaf, intermediates: [authority.intermediate])
        )
        let key = isOwn ? authority.leaf.key : TestKey.p256()
        let pin = PublicKeyPin(subjectPublicKeyInfo: key.subjectPublicKeyInfo)
        let command = try await FinishedCommand.run(
            ["https://127.0.0.1:\(server.port)/", pin.description, root],
            of: Self.pinnedCheck
        )
        let requests = server.requests.count
        await server.shutDown()
        #expect(command.status == status, "\(command.output)\(command.error)")
        #expect(command.lines.last?.hasPrefix(line) == true, "\(command.output)")
        // Whose key is another one never sees a byte of the request.
        #expect(requests == (isOwn ? 1 : 0))
    }

    @Test(
        .enabled(if: isBuilt(pinnedCheck), obstacle),
        arguments: [
            ([], "usage: pinned-check"),
            (["https://host.test/", "sha256//short"], "sha256//short"),
            (["http://host.test/", "sha256//QdMnwTiZ6bH25P4a4Zi14TEr4p8DmVsxemNZ18E5ifU="], "pinning needs TLS"),
        ]
    )
    func `pinned-check rejects bad usage and pinning without TLS`(_ arguments: [String], _ part: String) async throws {
        let command = try await FinishedCommand.run(arguments, of: Self.pinnedCheck)
        #expect(command.status == 64)
        #expect(command.output.contains(part))
    }
}
