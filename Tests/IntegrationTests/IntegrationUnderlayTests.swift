import AgentTestKit
import Testing

/// What carries a tunnel, on a real kernel.
@Suite(.inNamespace)
struct IntegrationUnderlayTests {
    private static let kinds = ["--interface-kind", "eth*=wired", "--interface-kind", "wlan*=wifi"]
    let namespace: NetworkNamespace

    init() throws {
        namespace = try NetworkNamespace()
        try namespace.makeLink("wlan0", peer: "far0", address: "192.0.2.2/24", gateway: "192.0.2.1")
    }

    private func agent(_ more: String...) async throws -> AgentProcess {
        try await AgentProcess.start(
            in: namespace,
            ["run", "--no-journal", "--no-sockets", "--settle-up", "0", "--settle-down", "0"] + Self.kinds + more
        )
    }

    @Test("a tunnel in a tunnel is what carries the outer one, and is lost with it")
    func nested() async throws {
        let agent = try await agent()
        try namespace.run(
            """
            ip link add vx1 type vxlan id 1 local 192.0.2.2 remote 192.0.2.1 dstport 4789
            ip addr add 10.50.0.2/24 dev vx1; ip link set vx1 up
            ip link add vx2 type vxlan id 2 local 10.50.0.2 remote 10.50.0.1 dstport 4790
            ip addr add 10.60.0.2/24 dev vx2; ip link set vx2 up
            ip route add default via 10.60.0.1 dev vx2
            """
        )
        let through = try await agent.next("reachability.changed") { $0.data.to?.path.interface == "vx2" }
        #expect(through.data.to?.via == "wifi")
        #expect(through.data.to?.path.underlay?.interface == "wlan0")
        #expect(through.data.to?.path.underlay?.is_guess == nil)
        try namespace.ip("link set far0 down")
        let lost = try await agent.settles(on: "none")
        #expect(lost.data.to?.reason == "underlay_down")
    }

    @Test("a tunnel that is bound to a device is carried by that, whatever has the better route")
    func boundToDevice() async throws {
        try namespace.makeLink("eth0", peer: "far1", address: "198.51.100.2/24", gateway: "198.51.100.1", metric: 700)
        let agent = try await agent()
        try namespace.run(
            """
            ip link add vx0 type vxlan id 7 remote 203.0.113.8 dstport 4789 dev eth0
            ip addr add 10.99.0.2/24 dev vx0; ip link set vx0 up; ip route add default via 10.99.0.1 dev vx0 metric 3
            """
        )
        let through = try await agent.next("reachability.changed") { $0.data.to?.path.interface == "vx0" }
        #expect(through.data.to?.via == "wired")
        #expect(through.data.to?.path.underlay?.interface == "eth0")
        try namespace.ip("link set far1 down")
        let lost = try await agent.settles(on: "none")
        #expect(lost.data.to?.reason == "underlay_down")
    }

    @Test("a tunnel of a program is a guess over one uplink, unknown over two, and lost when nothing can send")
    func opaque() async throws {
        try namespace.makeLink("wg0", peer: "far9", address: "203.0.113.2/24")
        try namespace.makeLink("eth0", peer: "far1", address: "198.51.100.2/24")
        let agent = try await agent("--interface-kind", "wg*=tunnel")
        try namespace.ip("route add default dev wg0 metric 1")
        let guessed = try await agent.next("reachability.changed") { $0.data.to?.path.interface == "wg0" }
        #expect(guessed.data.to?.via == "wifi")
        #expect(guessed.data.to?.path.underlay?.is_guess == true)
        try namespace.ip("route add default via 198.51.100.1 dev eth0 metric 700")
        let two = try await agent.settles(on: "other")
        #expect(two.data.to?.path.underlay == nil)
        try namespace.ip("link set far0 down")
        let other = try await agent.settles(on: "wired")
        #expect(other.data.to?.path.underlay?.interface == "eth0")
        try namespace.ip("link set far1 down")
        let lost = try await agent.settles(on: "none")
        #expect(lost.data.to?.reason == "underlay_down")
        #expect(lost.data.to?.path.underlay?.evidence == "no_carrier")
    }
}
