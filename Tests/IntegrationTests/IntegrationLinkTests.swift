import AgentEvents
import AgentTestKit
import Foundation
import Testing

/// The identity of links on a real kernel: names that change, indexes that are used again, links that go.
@Suite(.inNamespace, .onOwnThread)
struct IntegrationLinkTests {
    let namespace: NetworkNamespace

    init() throws { namespace = try NetworkNamespace() }

    @Test("a renamed interface keeps its path, and the override for its new name applies")
    func rename() async throws {
        try namespace.makeLink("eth0", peer: "far0", address: "192.0.2.2/24", gateway: "192.0.2.1")
        let agent = try await AgentProcess.run(in: namespace, "--interface-kind", "wan*=wwan", "--settle-up", "0")
        try namespace.ip("link set eth0 name wan0")
        let renamed = try await agent.settles(on: "wwan")
        #expect(renamed.to?.path.interface == "wan0")
    }

    @Test func `the override for an alternative name applies while the interface has it`() async throws {
        try namespace.makeLink("eth0", peer: "far0", address: "192.0.2.2/24", gateway: "192.0.2.1")
        try namespace.ip("link property add dev eth0 altname enp3s0")
        let agent = try await AgentProcess.run(
            in: namespace,
            "--interface-kind",
            "enp3*=wifi",
            "--interface-kind",
            "a-name-of-more-than-15-bytes=wwan",
            "--settle-up",
            "0"
        )
        // The kernel finds the carrier later and by itself, perhaps after the first view.
        if agent.events.last?.to?.via.rawValue != "wifi" { try await agent.settles(on: "wifi") }
        try namespace.ip("link property del dev eth0 altname enp3s0")
        try await agent.settles(on: "other")
        try namespace.ip("link property add dev eth0 altname a-name-of-more-than-15-bytes")
        let named = try await agent.settles(on: "wwan")
        #expect(named.to?.path.interface == "eth0")
    }

    @Test("a reused interface index belongs to the new interface")
    func indexReuse() async throws {
        try namespace.run(
            "ip link add eth0 index 77 type veth peer name far0; ip link set far0 up; ip link set eth0 up"
        )
        try namespace.run("ip addr add 192.0.2.2/24 dev eth0; ip route add default via 192.0.2.1")
        let agent = try await AgentProcess.run(
            in: namespace,
            "--interface-kind",
            "eth*=wired",
            "--interface-kind",
            "wlan*=wifi",
            "--settle-up",
            "0",
            "--settle-down",
            "0"
        )
        // The kernel finds the carrier later and by itself, perhaps after the first view.
        if agent.events.last?.to?.via.rawValue != "wired" { try await agent.settles(on: "wired") }
        try namespace.run("ip link del eth0")
        try await agent.settles(on: "none")
        try namespace.run(
            "ip link add wlan0 index 77 type veth peer name ap0; ip link set ap0 up; ip link set wlan0 up"
        )
        try namespace.run("ip addr add 192.0.2.2/24 dev wlan0; ip route add default via 192.0.2.1")
        let again = try await agent.settles(on: "wifi")
        #expect(again.to?.path.interface == "wlan0")
    }

    @Test("a deleted interface is the cause of the loss")
    func deletion() async throws {
        try namespace.makeLink("eth0", peer: "far0", address: "192.0.2.2/24", gateway: "192.0.2.1")
        let agent = try await AgentProcess.run(in: namespace, "--settle-down", "0")
        try namespace.ip("link del eth0")
        let lost = try await agent.settles(on: "none")
        #expect(lost.cause?.kind == "link")
        #expect(lost.cause?.interface == "eth0")
    }

    @Test("every interface is listed with its kind and the evidence for it")
    func interfaces() throws {
        try namespace.run(
            "ip link add br0 type bridge; ip link add eth0 type veth peer name far0; ip link set eth0 master br0"
        )
        let output = try namespace.run("\(BuiltAgent.path) interfaces --json --interface-kind 'eth*=wired'")
        struct Interface: Decodable {
            let name: String
            let kind: String
            let master: String?
        }
        let found = try output.split(separator: "\n").map {
            try JSONDecoder().decode(Interface.self, from: Data($0.utf8))
        }
        let kinds = Dictionary(uniqueKeysWithValues: found.map { ($0.name, $0.kind) })
        #expect(kinds == ["lo": "loopback", "br0": "wired", "eth0": "wired", "far0": "virtual"])
        #expect(found.first { $0.name == "eth0" }?.master == "br0")
    }
}
