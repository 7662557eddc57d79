import AgentEvents
import AgentTestKit
import Foundation
import NotificationBus
import PortAccess
import ProbeTestKit
import Synchronization
import Testing

@testable import StateSocket

/// Ports that other machines reach: certificates, passwords, and the effect of a reload on their connections.
@Suite(.timeLimit(.minutes(2)))
struct HTTPPortTests {
    /// The password of `alice` is `secret`.
    private static let users = "alice:$2y$05$abcdefghijklmnopqrstuuOQiyCxlgf/oeuTqixKmWdcYUh4Hjl0a\n"

    private static func basic(_ text: String) -> String {
        "Authorization: Basic \(Data(text.utf8).base64EncodedString())"
    }

    private static func ports(_ port: UInt16) -> [HTTPPort] {
        [HTTPPort(address: "0.0.0.0", port: port), HTTPPort(address: "::", port: port)]
    }

    /// Runs a server that listens at all addresses of the machine.
    private static func run(
        _ access: PortAccess?,
        _ body: @escaping @Sendable (ServedStream, UInt16) throws -> Void
    ) async throws {
        try await onThread {
            let free = try FreePort()
            defer { withExtendedLifetime(free) {} }
            let port = free.number
            let stream = try ServedStream {
                $0.http.listen = Self.ports(port)
                $0.http.access = access
            }
            defer { stream.stop() }
            try body(stream, port)
        }
    }

    private static func passwords(_ text: String = users) throws -> PasswordFile { try PasswordFile(Array(text.utf8)) }

    @Test(arguments: [
        ("127.0.0.1", true), ("127.9.9.9", true), ("::1", true), ("0.0.0.0", false), ("::", false),
        ("192.0.2.1", false), ("::ffff:127.0.0.1", false), ("128.0.0.1", false),
    ])
    func `loopback is distinguished from addresses that other machines reach`(address: String, isLoopback: Bool) {
        #expect(HTTPPort(address: address, port: 1).isLoopback == isLoopback)
    }

    @Test func `without access rules such a port serves no client`() async throws {
        for access in [nil, PortAccess(passwords: try Self.passwords())] {
            try await Self.run(access) { (stream, port) throws in
                let client = try HTTPClient(port: port)
                try? client.send("/", [Self.basic("alice:secret")])
                #expect((try? client.response().status) ?? 0 == 0)
                #expect(try HTTPClient(stream.http).get("/").status == 200)
            }
        }
    }

    @Test func `a port configured as insecure serves all clients, and still checks the host`() async throws {
        try await Self.run(PortAccess(isInsecure: true)) { (_, port) throws in
            #expect(try HTTPClient(port: port).get("/metrics").status == 200)
            #expect(try HTTPClient(port: port).get("/", host: "evil.example").status == 421)
        }
    }

    @Test func `without encryption an answer reaches a client that has closed its side after the request`() async throws
    {
        try await Self.run(PortAccess(isInsecure: true)) { (stream, port) throws in
            let client = try HTTPClient(port: port)
            try client.send("/api/report?month=held")
            try #require(stream.agent.waitForReport(.begun))
            client.client.shutSending()
            // The event loop has seen the end of the input before it accepts another client.
            #expect(try HTTPClient(stream.http).get("/metrics").status == 200)
            stream.agent.releaseReports()
            let response = try client.response()
            #expect(response.status == 200 && response.body == "{month=held}\n")
        }
    }

    @Test func `the documents of a host that requests many are made in turn with those of others`() async throws {
        try await Self.run(PortAccess(isInsecure: true)) { (stream, port) throws in
            let (begun, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            stream.agent.whenMakingDocument.withLock {
                $0 = {
                    begun.signal()
                    gate.wait()
                }
            }
            let many = try (0..<10).map { _ in try HTTPClient(port: port) }
            defer { for _ in 0...many.count { gate.signal() } }
            for client in many { try client.send("/metrics") }
            for _ in 0..<2 { #expect(begun.wait(timeout: .now() + .seconds(30)) == .success) }
            // The event loop has taken the requests before it accepts another client.
            #expect(try HTTPClient(port: port).get("/api/status").status == 200)
            let local = try HTTPClient(stream.http)
            local.client.setReceiveTimeout(milliseconds: 30_000)
            try local.send("/metrics")
            #expect(try HTTPClient(stream.http).get("/api/status").status == 200)
            // Those in progress, and then one of each.
            for _ in 0..<4 { gate.signal() }
            #expect(try local.response().status == 200)
        }
    }

    @Test func `each request needs a password that is right`() async throws {
        let access = PortAccess(passwords: try Self.passwords(), isInsecure: true)
        try await Self.run(access) { (_, port) throws in
            let refused = try HTTPClient(port: port).get("/")
            #expect(refused.status == 401 && refused.headers["www-authenticate"]?.hasPrefix("Basic realm=") == true)
            let client = try HTTPClient(port: port)
            for _ in 0..<3 { #expect(try client.get("/", [Self.basic("alice:secret")]).status == 200) }
            #expect(try client.get("/healthz").status == 401)
            for header in ["alice:", ":secret", "alice", "bob:secret", "alice:secret:", "alice:secret\n"] {
                #expect(try HTTPClient(port: port).get("/", [Self.basic(header)]).status == 401)
            }
            for header in ["Basic", "Basic ", "Basic !!!!", "Bearer abc", "Basic YWxpY2U6c2VjcmV0 x"] {
                #expect(try HTTPClient(port: port).get("/", ["Authorization: \(header)"]).status == 401)
            }
            let twice = [Self.basic("alice:secret"), Self.basic("alice:secret")]
            #expect(try HTTPClient(port: port).get("/", twice).status == 401)
        }
    }

    @Test func `password guessing is rate-limited, and a client with the password is not locked out`() async throws {
        let access = PortAccess(passwords: try Self.passwords(), isInsecure: true)
        try await Self.run(access) { (_, port) throws in
            #expect(try HTTPClient(port: port).get("/", [Self.basic("alice:secret")]).status == 200)
            let statuses = try (0..<PasswordCheck.maximumFailures + 3).map { number in
                try HTTPClient(port: port).get("/", [Self.basic("alice:\(number)")]).status
            }
            #expect(statuses == Array(repeating: 401, count: PasswordCheck.maximumFailures) + [429, 429, 429])
            #expect(try HTTPClient(port: port).get("/", [Self.basic("alice:secret")]).status == 200)
        }
    }

    @Test func `several requests at once with one password are one computation`() async throws {
        let access = PortAccess(passwords: try Self.passwords(), isInsecure: true)
        try await Self.run(access) { (_, port) throws in
            let clients = try (0..<32).map { _ in try HTTPClient(port: port) }
            for client in clients { try client.send("/", [Self.basic("alice:secret")]) }
            for client in clients { #expect(try client.response().status == 200) }
        }
    }

    @Test func `a stream does not begin for a client that disconnects while its password is checked`() async throws {
        // The password is `secret`, whose hash takes long enough for that.
        let users = "alice:$2b$10$YWFqQQWz5wSt9QtL6x.eoOnB6ZYsuok9futIZTrsvfSXtmy.TGQdK\n"
        let access = PortAccess(passwords: try Self.passwords(users), isInsecure: true)
        try await Self.run(access) { (stream, port) throws in
            try {
                let client = try HTTPClient(port: port)
                try client.send("/events?types=probe.progress", [Self.basic("alice:secret")])
                #expect(stream.waitForConnections(1))
            }()
            #expect(stream.waitForConnections(0))
            // Waits for the same hash, and is answered after the first request.
            #expect(try HTTPClient(port: port).get("/healthz", [Self.basic("alice:secret")]).status == 200)
            #expect(!stream.server.wants(.probeProgress))
        }
    }

    @Test func `new access rules close the connections that the earlier ones admitted`() async throws {
        let access = PortAccess(passwords: try Self.passwords(), isInsecure: true)
        try await Self.run(access) { (stream, port) throws in
            let reader = try HTTPClient(port: port)
            try reader.send("/events", [Self.basic("alice:secret")])
            #expect(try reader.head().status == 200)
            let local = try HTTPClient(stream.http)
            #expect(try local.get("/").status == 200)
            stream.server.setAccess(access, listen: Self.ports(port))
            stream.publish()
            while let line = try reader.client.line(), line != "id: stream-a-1" {}
            let changed = PortAccess(passwords: try Self.passwords(Self.users + "\n"), isInsecure: true)
            stream.server.setAccess(changed, listen: Self.ports(port))
            while try reader.client.line() != nil {}
            #expect(try local.get("/").status == 200)
            #expect(try HTTPClient(port: port).get("/", [Self.basic("alice:secret")]).status == 200)
        }
    }

    @Test func `insecure rules that are for other ports close the open ones to other machines`() async throws {
        try await Self.run(PortAccess(isInsecure: true)) { (stream, port) throws in
            let insecure = PortAccess(isInsecure: true)
            let loopback = HTTPPort(address: "127.0.0.1", port: port)
            let other = HTTPPort(address: "192.0.2.1", port: port)
            let all = Self.ports(port)
            let cases: [(listen: [HTTPPort], isServed: Bool)] = [
                ([other], false), (all, true), ([all[0], loopback], false), (all + [other], true), ([], false),
            ]
            for (listen, isServed) in cases {
                #expect(stream.server.setAccess(insecure, listen: listen) == isServed)
                // Answered after the rules were applied.
                #expect(try HTTPClient(stream.http).get("/metrics").status == 200)
                let client = try HTTPClient(port: port)
                try? client.send("/metrics")
                let status = try? client.response().status
                #expect((status == 200) == isServed, "\(listen)")
            }
            #expect(stream.server.setAccess(nil, listen: []))
        }
    }

    // MARK: TLS

    /// Certificates as files, and an independent client.
    private final class TLSFiles: Sendable {
        private let temporary: TemporaryDirectory
        var directory: String { temporary.path }
        let server: TestAuthority
        let client: TestAuthority

        init() throws {
            temporary = try TemporaryDirectory()
            server = try Self.authority(.server(names: ["host.test"]))
            client = try Self.authority(.client())
            try write(server.root.pem, "root.pem")
            try write(client.presentedPEM, "client.pem")
            try write(client.leaf.key.pkcs8PEM, "client.key")
        }

        private func write(_ text: String, _ name: String) throws {
            try temporary.file(name, text)
        }

        /// The library goes by the machine's clock.
        private static func authority(_ leaf: CertificateTemplate) throws -> TestAuthority {
            func now(_ template: CertificateTemplate) -> CertificateTemplate {
                template.with {
                    $0.notBefore = Date(timeIntervalSinceNow: -86_400)
                    $0.notAfter = Date(timeIntervalSinceNow: 86_400)
                }
            }
            return try TestAuthority(
                root: now(.authority("Test Root")),
                intermediate: now(.intermediate("Test Intermediate")),
                leaf: now(leaf)
            )
        }

        func tls(checksClients: Bool = false) throws -> PortTLS {
            try PortTLS(
                certificate: Array(server.presentedPEM.utf8),
                key: Array(server.leaf.key.pkcs8PEM.utf8),
                clientAuthorities: checksClients ? Array(client.root.pem.utf8) : nil
            )
        }

        /// Returns the server's answer to a request over TLS, by openssl(1).
        func answer(to request: String, port: UInt16, _ options: String = "") throws -> String {
            let command = """
                cd \(directory); printf '\(request)' | openssl s_client -quiet -connect 127.0.0.1:\(port) \
                -CAfile root.pem -verify_return_error -verify_hostname host.test \(options) 2>&1
                """
            return try FinishedCommand(["-c", command], of: "/bin/sh").output
        }
    }

    private static func request(_ path: String, _ headers: String...) -> String {
        (["GET \(path) HTTP/1.1", "Host: 127.0.0.1", "Connection: close"] + headers + ["", ""]).joined(
            separator: "\\r\\n"
        )
    }

    @Test func `documents are served over TLS with a password`() async throws {
        let files = try TLSFiles()
        try await Self.run(PortAccess(tls: try files.tls(), passwords: try Self.passwords())) { (_, port) throws in
            let answer = try files.answer(to: Self.request("/", Self.basic("alice:secret")), port: port)
            #expect(answer.contains("HTTP/1.1 200 OK") && answer.contains("the page"), "\(answer)")
            #expect(try files.answer(to: Self.request("/"), port: port).contains("HTTP/1.1 401 Unauthorized"))
            // Without TLS, and with versions that are too old.
            let plain = try HTTPClient(port: port)
            try plain.send("/", [Self.basic("alice:secret")])
            #expect((try? plain.response().status) ?? 0 == 0)
            let old = try files.answer(to: Self.request("/"), port: port, "-tls1_1 -cipher DEFAULT:@SECLEVEL=0")
            #expect(old.contains("alert protocol version") && !old.contains("HTTP/1.1"), "\(old)")
        }
    }

    @Test func `secure rules apply to the open ports also when they are configured with others`() async throws {
        let files = try TLSFiles()
        try await Self.run(PortAccess(isInsecure: true)) { (stream, port) throws in
            let access = PortAccess(tls: try files.tls(), passwords: try Self.passwords(), isInsecure: true)
            #expect(stream.server.setAccess(access, listen: []))
            #expect(try HTTPClient(stream.http).get("/metrics").status == 200)
            let answer = try files.answer(to: Self.request("/", Self.basic("alice:secret")), port: port)
            #expect(answer.contains("HTTP/1.1 200 OK"), "\(answer)")
        }
    }

    @Test func `a client without a required certificate is rejected`() async throws {
        let files = try TLSFiles()
        try await Self.run(PortAccess(tls: try files.tls(checksClients: true))) { (_, port) throws in
            let options = "-cert client.pem -key client.key -cert_chain client.pem"
            let answer = try files.answer(to: Self.request("/metrics"), port: port, options)
            #expect(answer.contains("HTTP/1.1 200 OK"), "\(answer)")
            for version in ["-tls1_2", "-tls1_3"] {
                let refused = try files.answer(to: Self.request("/metrics"), port: port, version)
                #expect(refused.contains(" alert ") && !refused.contains("HTTP/1.1"), "\(refused)")
            }
        }
    }

    @Test func `a long answer over TLS is whole`() async throws {
        let files = try TLSFiles()
        let access = PortAccess(tls: try files.tls(), passwords: try Self.passwords())
        try await Self.run(access) { (stream, port) throws in
            for _ in 0..<2000 { stream.publish(padding: 500) }
            let request = Self.request("/api/history", Self.basic("alice:secret"))
            let ids = try files.answer(to: request, port: port).matches(of: /"seq":(\d+)/).compactMap {
                Int($0.output.1)
            }
            #expect(ids.elementsEqual(1...2000))
        }
    }
}
