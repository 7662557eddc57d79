import AgentTestKit
import Foundation
import Glibc
import ProbeTestKit
import Testing

/// The built `reachagent-sink` with a nats-server that takes nothing for a while: each event is there once, afterwards.
@Suite(.inNamespace, .withNATS, .onOwnThread, .timeLimit(.minutes(5)))
struct IntegrationSinkTroubleTests {
    let lab: SinkLab

    init() throws { lab = try SinkLab() }

    /// The users that the server knows; `nil` in place of the device's name when it is revoked.
    private static func users(_ device: String?) -> String {
        let names = ["admin", device].compactMap(\.self).map { "{ user: \"\($0)\", password: secret }" }
        return "users: [ \(names.joined(separator: ", ")) ]"
    }

    private static func reader(_ server: NATSServer) throws -> NATSTestClient {
        try NATSTestClient(port: server.port, options: #""user":"admin","pass":"secret""#)
    }

    /// Waits until the agent knows that everything is at the broker, from which nothing can be read now.
    private func awaitReport() async throws {
        let last = try SeenEvent(try #require(await lab.journal().last)).seq
        try await lab.awaitStatus(of: "plant", "acknowledged_seq", Int(#require(last)))
    }

    /// Ships something, makes trouble and waits for its code, ends it, and compares the stream with the journal.
    ///
    /// - Parameters:
    ///   - sink: More keys of the sink.
    ///   - encryption: Turns on encryption, which the tests' own client does not know; and off.
    ///   - trouble: Makes the trouble.
    ///   - codes: The codes that it may have.
    ///   - end: Ends it.
    private func expectAll(
        from server: NATSServer,
        scheme: String = "nats",
        _ sink: [String] = [],
        encryption: (on: () async throws -> Void, off: () async throws -> Void)? = nil,
        trouble: () async throws -> Void,
        codes: [String],
        end: () async throws -> Void
    ) async throws {
        try Self.reader(server).makeStream("EVENTS", options: #""duplicate_window":100000000"#)
        try await encryption?.on()
        let keys = ["user = \"edge-7\"", "password_file = \"\(lab.directory.path)/secret\""] + sink
        try "secret\n".write(toFile: "\(lab.directory.path)/secret", atomically: true, encoding: .utf8)
        chmod("\(lab.directory.path)/secret", 0o600)
        let table = SinkLab.sink("plant", "\(scheme)://localhost:\(server.port)")
        try lab.configure(table + keys.joined(separator: "\n") + "\n")
        let agent = try await lab.agent()
        let program = try lab.sink()
        try await program.next(containing: "sink plant: connected")
        for number in 3...6 { try await lab.directory.turn(agent, to: number) }
        if encryption == nil {
            try Self.reader(server).awaits(try #require(await lab.journal().last), in: "EVENTS")
        } else {
            try await awaitReport()
        }

        try await trouble()
        for number in 7...30 { try await lab.directory.turn(agent, to: number) }
        var line = ""
        for _ in 0..<6 where !codes.contains(where: { line.contains("[\($0)]") }) {
            line = try await program.next(containing: "[broker_")
        }
        #expect(codes.contains { line.contains("[\($0)]") }, "\(line)")
        for number in 120...130 { try await lab.directory.turn(agent, to: number) }

        try await end()
        try await program.next(containing: "sink plant: connected")
        if let encryption {
            try await awaitReport()
            try await encryption.off()
        }
        let journal = try await lab.journal()
        let reader = try Self.reader(server)
        try reader.awaits(try #require(journal.last), in: "EVENTS")
        let events = try ShippedEvents(of: "EVENTS", reader)
        #expect(events.flaws(beside: journal) == [])
        #expect(Set(events.ids).count == events.ids.count)
        program.end()
        #expect(try await agent.stop().status == 0)
    }

    @Test func `a full disk of the server`() async throws {
        let disk = try await SmallDisk(size: "8m")
        let server = try await NATSServer(authorization: Self.users("edge-7"), disk: disk)
        try await expectAll(
            from: server,
            trouble: { try await disk.fill() },
            codes: ["broker_full", "broker_no_stream", "broker_timeout", "broker_protocol"],
            end: {
                try await disk.free()
                // A server that could not write takes nothing more until it starts again.
                await server.kill()
                try await server.start()
            }
        )
    }

    @Test func `a stream at its limit`() async throws {
        let server = try await NATSServer(authorization: Self.users("edge-7"))
        try await expectAll(
            from: server,
            trouble: {
                let reader = try Self.reader(server)
                let size = try reader.state(of: "EVENTS").messages
                try reader.changeStream("EVENTS", options: #""max_msgs":\#(size + 2),"discard":"new""#)
            },
            codes: ["broker_full"],
            end: { try Self.reader(server).changeStream("EVENTS", options: #""max_msgs":-1"#) }
        )
    }

    @Test func `revoked credentials`() async throws {
        let server = try await NATSServer(authorization: Self.users("edge-7"))
        try await expectAll(
            from: server,
            trouble: {
                try server.configure(authorization: Self.users(nil))
                try await server.reload()
            },
            codes: ["broker_denied"],
            end: {
                try server.configure(authorization: Self.users("edge-7"))
                try await server.reload()
            }
        )
    }

    @Test func `a list of sinks that cannot be read when the program starts`() async throws {
        let (server, _) = try await NATSServer.withStream()
        try lab.configure(SinkLab.sink("plant", server.url))
        let agent = try await lab.agent()
        let list = URL(filePath: "\(lab.directory.sockets)/sinks.json")
        let content = try Data(contentsOf: list)
        try Data("{".utf8).write(to: list, options: .atomic)
        let program = try lab.sink()
        try await program.next(containing: "cannot read the list of sinks")
        // From here on, neither the agent nor its events wake the program.
        while try await !lab.isFollowed() {}
        try content.write(to: list, options: .atomic)
        try await program.next(containing: "sink plant: connected")
        program.end()
        #expect(try await agent.stop().status == 0)
    }

    @Test func `a certificate of another authority`() async throws {
        func write(_ text: String, to name: String) throws -> String {
            let path = "\(lab.directory.path)/\(name)"
            try text.write(toFile: path, atomically: true, encoding: .utf8)
            return path
        }
        let leaf = CertificateTemplate.server(names: ["localhost"], addresses: ["127.0.0.1"]).with {
            $0.notBefore = TestDate.utc(2020)
            $0.notAfter = TestDate.utc(2040)
        }
        let authorities = try (0..<2).map { _ in try TestAuthority(leaf: leaf) }
        let users = Self.users("edge-7")
        let encrypted = try authorities.enumerated().map { number, authority in
            let chain = try write(authority.presentedPEM, to: "chain\(number).pem")
            let key = try write(authority.leaf.key.pkcs8PEM, to: "key\(number).pem")
            return "tls { cert_file: \"\(chain)\", key_file: \"\(key)\" }"
        }
        let trusted = try write(authorities[0].root.pem, to: "ca.pem")
        let server = try await NATSServer(authorization: users)
        func restart(_ configuration: String = "") async throws {
            await server.kill()
            try server.configure(configuration, authorization: users)
            try await server.start()
        }
        try await expectAll(
            from: server,
            scheme: "tls",
            ["ca_file = \"\(trusted)\""],
            encryption: (on: { try await restart(encrypted[0]) }, off: { try await restart() }),
            trouble: { try await restart(encrypted[1]) },
            codes: ["broker_tls"],
            end: { try await restart(encrypted[0]) }
        )
    }
}
