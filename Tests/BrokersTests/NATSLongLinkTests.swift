import AgentTestKit
import Brokers
import Foundation
import ProbeTestKit
import Sinks
import Testing

/// A nats-server at the other end of a link on which a byte takes two seconds.
@Suite(.onOwnThread, .enabled(if: NATSServer.isInstalled, "nats-server is not installed"))
struct NATSLongLinkTests {
    @Test(arguments: ["nats", "tls"])
    func `round trips of four seconds are waited for`(scheme: String) async throws {
        let directory = try TemporaryDirectory()
        let leaf = CertificateTemplate.server(names: ["localhost"], addresses: ["127.0.0.1"]).with {
            $0.notBefore = TestDate.utc(2020)
            $0.notAfter = TestDate.utc(2040)
        }
        let authority = try TestAuthority(leaf: leaf)
        let chain = try directory.file("chain.pem", authority.presentedPEM)
        let key = try directory.file("key.pem", authority.leaf.key.pkcs8PEM)
        let authorities = try directory.file("ca.pem", authority.root.pem)
        let server = try await NATSServer()
        try NATSTestClient(port: server.port).makeStream("REACH")
        if scheme == "tls" {
            // The tests' own client knows no TLS.
            await server.kill()
            // The server's own patience is two seconds otherwise.
            try server.configure("tls { cert_file: \"\(chain)\", key_file: \"\(key)\", timeout: 20 }")
            try await server.start()
        }
        let link = try TCPLink(to: server.port, delay: .seconds(2))
        let loop = try natsLoop(natsSink(link.port, scheme: scheme) { $0.authorities = authorities })
        try loop.connect()
        for number in 1...20 as ClosedRange<UInt64> { loop.transport.publish(natsMessage(number)) }
        #expect(try loop.acknowledgements(20) == Array(1...20))
        // What is under way when the connection ends is stored, or is not; the next connection knows.
        for number in 21...40 as ClosedRange<UInt64> { loop.transport.publish(natsMessage(number)) }
        link.cut()
        #expect(try loop.nextFailure().code == "broker_unreachable")
        let newest = try #require(try loop.connect())
        let last = try #require(UInt64(newest.id.split(separator: "-").last ?? ""))
        for number in (last + 1)...41 { loop.transport.publish(natsMessage(number)) }
        _ = try loop.acknowledgements(Int(41 - last))
        await server.kill()
        try server.configure("")
        try await server.start()
        let client = try NATSTestClient(port: server.port)
        #expect(try client.messages(of: "REACH").map { $0.message.json["seq"] as? Int } == Array(1...41))
    }
}
