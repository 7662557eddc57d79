import AgentTestKit
import Foundation
import Synchronization

/// A machine with two uplinks, a router that both lead to, and a web server behind the router, all by both families.
///
///     up0   (metric 100) ─ r0 ┐
///                             router ─ s0 ─ eth0 web server, name server
///     wwan0 (metric 700) ─ r1 ┘
///
/// `web.test` is the server. All faults are in the router, so that the machine's own links see nothing of them.
final class ConnectivityNetwork: Sendable {
    /// The web server's name.
    static let host = "web.test"
    static let serverAddress = "203.0.113.1"
    static let serverAddress6 = "2001:db8:3::1"
    /// The URL to which the router's captive portal redirects browsers.
    static let portalURL = "http://192.0.2.1:8080/login"

    /// An uplink of the machine.
    enum Uplink: String {
        case up0, wwan0

        /// The router's link at the other end of the wire.
        var far: String { self == .up0 ? "r0" : "r1" }
    }

    let machine: ProbeNetwork
    let certificates: ConnectivityCertificates
    /// The servers, which answer for as long as the network exists.
    private let servers = Mutex<[WebServer]>([])

    /// Makes it whole, with default routes by both uplinks.
    ///
    /// - Parameter usesHosts: `true` when the name is in `/etc/hosts`; else a name server is needed.
    init(usesHosts: Bool = true) throws {
        let hosts = "\(Self.serverAddress) \(Self.host)\n\(Self.serverAddress6) \(Self.host)"
        machine = try ProbeNetwork(hosts: usesHosts ? hosts : "")
        certificates = try ConnectivityCertificates()
        try machine.namespace.run(Self.links)
        try setRoutes(of: .up0)
        try setRoutes(of: .wwan0)
    }

    /// By default the kernel drops packets that come in where it would not send the answer (rp_filter), and resolves no
    /// neighbour before its own link-local address has proved to be unique, which takes a second.
    private static let links = """
        settings='net.ipv4.conf.all.rp_filter=0 net.ipv4.conf.default.rp_filter=0 net.ipv6.conf.default.dad_transmits=0'
        sysctl -qw $settings
        for name in router web; do
            ip netns add $name
            ip netns exec $name sysctl -qw $settings
            ip -n $name link set lo up
        done
        ip netns exec router sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1
        ip link add up0 type veth peer name r0 netns router
        ip link add wwan0 type veth peer name r1 netns router
        ip -n router link add s0 type veth peer name eth0 netns web

        give() { ip -n "$1" addr add "$3" dev "$2"; ip -n "$1" addr add "$4" dev "$2" nodad; ip -n "$1" link set "$2" up; }
        give router r0 192.0.2.1/24 2001:db8:1::1/64
        give router r1 198.51.100.1/24 2001:db8:2::1/64
        give router s0 203.0.113.254/24 2001:db8:3::ff/64
        give web eth0 203.0.113.1/24 2001:db8:3::1/64
        ip -n web route add default via 203.0.113.254
        ip -n web -6 route add default via 2001:db8:3::ff
        ip netns exec router nft -f - <<'END'
        table inet lab {
            chain divert { type nat hook prerouting priority -100; }
            chain forward { type filter hook forward priority 0; }
        }
        END

        ip addr add 192.0.2.2/24 dev up0; ip addr add 2001:db8:1::2/64 dev up0 nodad
        ip addr add 198.51.100.2/24 dev wwan0; ip addr add 2001:db8:2::2/64 dev wwan0 nodad
        ip link set up0 up; ip link set wwan0 up
        # IPv6 sends nothing before the link has an address of its own for it.
        ready() { link=$1; shift; until ip "$@" -6 addr show dev $link scope link -tentative | grep -q fe80; do sleep 0.02; done; }
        ready r0 -n router; ready r1 -n router; ready s0 -n router; ready eth0 -n web; ready up0; ready wwan0
        """

    // MARK: - The machine's routes

    /// Adds the default routes of an uplink, as a network manager does.
    func setRoutes(of uplink: Uplink) throws {
        let (v4, v6, metric) =
            uplink == .up0 ? ("192.0.2.1", "2001:db8:1::1", 100) : ("198.51.100.1", "2001:db8:2::1", 700)
        try machine.namespace.run(
            """
            ip route add default via \(v4) dev \(uplink) metric \(metric)
            ip -6 route add default via \(v6) dev \(uplink) metric \(metric)
            """
        )
    }

    /// Takes the default routes of an uplink away.
    func removeRoutes(of uplink: Uplink) throws {
        try machine.namespace.run("ip route del default dev \(uplink); ip -6 route del default dev \(uplink)")
    }

    // MARK: - The router

    /// Adds rules for the packets that the router forwards, in the syntax of nft(8).
    func forward(_ rules: String...) throws {
        try add(rules, to: "forward")
    }

    /// Leads the traffic to TCP ports of any address to the router itself.
    func divert(_ ports: (from: Int, to: Int)...) throws {
        try add(ports.map { "iifname { r0, r1 } tcp dport \($0.from) redirect to :\($0.to)" }, to: "divert")
    }

    private func add(_ rules: [String], to chain: String) throws {
        let lines = rules.map { "add rule inet lab \(chain) \($0)" }.joined(separator: "\n")
        try machine.namespace.run("ip netns exec router nft -f - <<'END'\n\(lines)\nEND")
    }

    /// The router only forwards again.
    func repair() throws {
        try machine.namespace.run(
            "ip netns exec router nft flush chain inet lab forward; ip netns exec router nft flush chain inet lab divert"
        )
    }

    /// The router leads no traffic to itself any more; what it forwards stays as it is.
    func endDiversion() throws {
        try machine.namespace.run("ip netns exec router nft flush chain inet lab divert")
    }

    /// Returns the number of packets that matched the rules with a `counter`.
    func countedPackets() throws -> Int {
        let text = try machine.namespace.run("ip netns exec router nft list chain inet lab forward")
        return text.matches(of: /counter packets (\d+)/).compactMap { Int($0.1) }.reduce(0, +)
    }

    // MARK: - Servers

    /// Starts the web server; it answers as it should.
    @discardableResult
    func webServer() async throws -> WebServer {
        try await server(in: "web", "80 443 \(Self.serverAddress) \(Self.serverAddress6)")
    }

    /// Starts another server on the same machine, at the ports 8080 and 8443, with a certificate of its own.
    func secondServer(certificate: ConnectivityCertificates.Name) async throws -> WebServer {
        let server = try await server(in: "web", "8080 8443 \(Self.serverAddress) \(Self.serverAddress6)")
        try await server.be("certificate \(certificate)")
        return server
    }

    /// Starts the captive portal's server in the router, at the ports 8080 and 8443; nothing leads to it yet.
    func portal() async throws -> WebServer {
        let server = try await server(in: "router", "8080 8443 192.0.2.1 2001:db8:1::1 198.51.100.1 2001:db8:2::1")
        try await server.be("certificate \(ConnectivityCertificates.Name.portal)")
        try await server.be("portal \(Self.portalURL)")
        return server
    }

    private func server(in namespace: String, _ arguments: String) async throws -> WebServer {
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "web-server.py").path()
        let line = "exec ip netns exec \(namespace) python3 \(script) \(certificates.directory) \(arguments)"
        let server = try await WebServer(command("/bin/sh", ["-c", line]))
        servers.withLock { $0.append(server) }
        return server
    }

    /// Starts the name server and makes it the machine's.
    func nameServer() throws -> FarEnd {
        try machine.write("nameserver \(Self.serverAddress)\noptions timeout:1 attempts:1", to: "/etc/resolv.conf")
        return try machine.serve("dns", at: Self.serverAddress, port: 53, on: "web")
    }

    // MARK: - Programs in the machine

    /// A shell command that becomes a program in the machine.
    func command(_ program: String, _ arguments: [String]) -> String {
        machine.namespace.command(program, arguments)
    }

    /// One check from the command line, as `failed connect_refused 1`.
    ///
    /// - Parameter timeout: A short one is for a check that is to meet silence: on a busy machine, an answer takes time.
    func check(_ target: String, _ arguments: String..., timeout: String = "20s") async throws -> String {
        let more = target.hasPrefix("https") ? ["--ca-file", certificates.rootFile] : []
        return try await machine.probe([target, "--timeout", timeout] + more + arguments).outcome
    }
}
