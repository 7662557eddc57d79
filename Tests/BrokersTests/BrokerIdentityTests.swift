import AgentTestKit
import CheckResults
import ProbeTestKit
import Sinks
import Testing

@testable import Brokers

/// The host of a broker's URL and the identity in its certificate.
struct BrokerIdentityTests {
    static let hosts: [(String, String, String?)] = [
        ("broker.test", "broker.test", "broker.test"), ("Broker.Test.", "broker.test", "broker.test"),
        ("192.0.2.7", "192.0.2.7", nil), ("[2001:DB8::7]", "2001:db8::7", nil), ("[fe80::1%eth0]", "fe80::1", nil),
        ("[::ffff:192.0.2.7]", "192.0.2.7", nil), ("[::ffff:c000:207]", "192.0.2.7", nil),
        ("[::ffff:192.0.2.7%2]", "192.0.2.7", nil), ("[::ffff:0:192.0.2.7]", "::ffff:0:c000:207", nil),
    ]

    @Test(arguments: hosts)
    func `a certificate is compared with the name or address of the host`(
        _ host: String,
        _ identity: String,
        _ serverName: String?
    ) throws {
        let broker = try BrokerAddress("mqtts://\(host)")
        let server = try #require(broker.servers.first)
        #expect(server.identity.description == identity)
        let settings = SinkSettings(name: "home", broker: broker, device: "edge7")
        #expect(try BrokerTrust(settings, for: server).serverName == serverName)
        // The cursor of a sink applies to this text.
        #expect(broker.description == "mqtts://\(host.lowercased())")
    }

    @Test(arguments: [
        ("[::ffff:192.0.2.7]", true), ("[::ffff:c000:207]", true), ("192.0.2.7", true), ("[2001:db8::7]", true),
        ("[::ffff:192.0.2.8]", false), ("[::192.0.2.7]", false),
    ])
    func `a certificate for an IPv4 address is accepted for its mapped form`(
        _ host: String,
        _ isAccepted: Bool
    ) throws {
        let chain = try TestAuthority.standard(names: ["broker.test"], addresses: ["192.0.2.7", "2001:db8::7"])
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let broker = try BrokerAddress("mqtts://\(host)")
        var settings = SinkSettings(name: "home", broker: broker, device: "edge7")
        settings.authorities = try directory.file("ca.pem", chain.root.pem)
        let server = try #require(broker.servers.first)
        let trust = try BrokerTrust(settings, for: server) { TestDate.present }
        let refusal = trust.refusal(of: chain.presented)
        #expect((refusal == nil) == isAccepted, "\(refusal?.detail ?? "accepted")")
        #expect(isAccepted || refusal?.detail.contains("(tls_hostname)") == true)
    }
}
