import AgentEvents
import Probes
import Testing

@testable import ReachAgent

/// The first thing to do about a failed check, by what is certain of it.
@Suite struct CheckAdviceTests {
    private static func advice(
        _ connectivity: String,
        _ reason: String,
        probe: String,
        over path: String = StatusScenes.wlan0,
        uplinks: String = ""
    ) throws -> Advice {
        let members = StatusScenes.members(
            StatusScenes.state(
                path,
                #""connectivity":"\#(connectivity)","connectivity_reason":"\#(reason)","connectivity_probe":"web""#
            ),
            StatusScenes.list("probes", probe),
            StatusScenes.list("uplinks", uplinks)
        )
        let status = try EventDecoder.decode(AgentStatus.self, from: Array("{\(members)}".utf8))
        return try #require(status.advice { FindingCode(rawValue: $0).map { ($0.sentence, $0.configuredRemedy) } })
    }

    private static let ping = "ping -c 3 -I wlan0 192.0.2.1"
    private static let look = "reachagent probe web"
    private static let nameServers = ["resolvectl status", "cat /etc/resolv.conf", look]
    private static let nothing = "nothing beyond the first hop answers: web is down: "

    /// A probe's code, verdict and members while the connectivity is `local`, with the problem and the commands.
    private typealias Silence = (code: String, verdict: String, members: String, problem: String, commands: [String])

    private static let silences: [Silence] = [
        ("connect_timeout", "down", "", "\(nothing)no answer to the connection attempt", [ping]),
        ("timeout", "down", #""phase":"connect""#, "\(nothing)the check timed out", [ping]),
        ("timeout", "down", "", "\(nothing)the check timed out", [ping]),
        (
            "dns_timeout", "unknown", "", "web is unknown: the resolver did not answer in time",
            nameServers + [ping]
        ),
        ("dns_failure", "unknown", "", "web is unknown: no name server could answer", nameServers + [ping]),
        (
            "resolver_busy", "unknown", "",
            "web is unknown: all lookups that may run at once are stuck in the system's resolver", [look, ping]
        ),
        // The name server is the target.
        ("dns_timeout", "down", "", "\(nothing)the resolver did not answer in time", [ping]),
        (
            "timeout", "down", #""phase":"tls","peer":"198.51.100.9""#,
            "web is down: the connection opens, and the TLS handshake does not end in time",
            ["ping -c 3 -M do -s 1472 198.51.100.9", look]
        ),
        (
            "timeout", "down", #""phase":"tls","peer":"2001:db8::9""#,
            "web is down: the connection opens, and the TLS handshake does not end in time",
            ["ping -c 3 -M do -s 1452 2001:db8::9", look]
        ),
        (
            "timeout", "down", #""phase":"tls""#,
            "web is down: the connection opens, and the TLS handshake does not end in time", [look]
        ),
        (
            "timeout", "down", #""phase":"first_byte","peer":"198.51.100.9""#,
            "web is down: the connection opens, and no response comes in time", [look]
        ),
        (
            "timeout", "down", #""phase":"body""#, "web is down: the response begins, and does not end in time",
            [look]
        ),
        (
            "connect_refused", "down", #""phase":"connect","peer":"0.0.0.0""#,
            "web is down: nothing listens on the port, or a firewall refuses the connection: 0.0.0.0 is this machine"
                + " itself",
            [look]
        ),
        (
            "tls_self_signed", "down", #""phase":"tls","peer":"::ffff:127.0.0.1""#,
            "web is down: the server's certificate is signed by itself and not trusted: ::ffff:127.0.0.1 is this machine"
                + " itself", [look]
        ),
    ]

    @Test(arguments: silences.indices)
    func `only a silent path is blamed on what is beyond the gateway`(_ index: Int) throws {
        let (code, verdict, members, problem, commands) = Self.silences[index]
        let own = #""code":"\#(code)"\#(members.isEmpty ? "" : ",")\#(members)"#
        let advice = try Self.advice("local", code, probe: StatusScenes.probe("web", verdict, own))
        #expect(advice.code == code)
        #expect(advice.problem == problem)
        #expect(advice.action.commands == commands, "\(advice.action)")
        #expect(advice.action.description.contains("provider") == (commands == [Self.ping]))
    }

    @Test func `without a gateway the remedy is that of the check`() throws {
        let path = #""via":"wwan","interface":"wwan0","kind":"wwan""#
        for (code, verdict) in [("dns_failure", "unknown"), ("connect_timeout", "down")] {
            let probe = StatusScenes.probe("web", verdict, #""code":"\#(code)""#)
            #expect(try Self.advice("local", code, probe: probe, over: path).action.commands.last == Self.look)
        }
    }

    @Test(arguments: [
        ("full", ", while eth0 below it works", ["ip link set tun0 down"]),
        ("local", ", nor over eth0 below it", ["reachagent status uplinks"]),
        ("portal", ", and a captive portal answers on eth0 below it", []),
        ("unknown", "", ["ip link set tun0 down"]),
    ])
    func `silence through a tunnel is blamed on the tunnel as far as the uplink below it works`(
        below: String,
        words: String,
        commands: [String]
    ) throws {
        let tunnel = #"""
            "via":"wired","interface":"tun0","kind":"tunnel","gateway":"10.8.0.1",\#
            "underlay":{"interface":"eth0","kind":"wired","evidence":"remote_route"}
            """#
        let advice = try Self.advice(
            "local",
            "timeout",
            probe: StatusScenes.probe("web", "down", #""code":"timeout""#),
            over: tunnel,
            uplinks: #"{"interface":"eth0","kind":"wired","connectivity":"\#(below)","used":true}"#
        )
        #expect(advice.problem == "nothing answers through the tunnel tun0\(words): web is down: the check timed out")
        #expect(advice.action.commands == commands)
    }

    @Test func `a PPPoE session is no tunnel, and its silence that of the line`() throws {
        let session = #"""
            "via":"wired","interface":"ppp0","kind":"ppp","gateway":"10.8.0.1",\#
            "underlay":{"interface":"eth0","kind":"wired","evidence":"pppoe"}
            """#
        let probe = StatusScenes.probe("web", "down", #""code":"timeout""#)
        let advice = try Self.advice("local", "timeout", probe: probe, over: session)
        #expect(advice.problem == "\(Self.nothing)the check timed out")
        #expect(advice.action.commands == ["ping -c 3 -I ppp0 10.8.0.1"])
    }

    @Test func `name servers may be behind the tunnel`() throws {
        let tunnel = #"""
            "via":"wired","interface":"tun0","kind":"tunnel","underlay":{"interface":"eth0","evidence":"remote_route"}
            """#
        let probe = StatusScenes.probe("web", "unknown", #""code":"dns_timeout""#)
        let advice = try Self.advice("local", "dns_timeout", probe: probe, over: tunnel)
        #expect(advice.problem == "web is unknown: the resolver did not answer in time")
        #expect(advice.action.commands == Self.nameServers + ["ip link set tun0 down"])
        #expect(advice.action.steps == Self.nameServers)
    }

    @Test func `a large packet is sent over the interface of the probe`() throws {
        let members = #""code":"timeout","phase":"tls","peer":"198.51.100.9","interface":"wwan0""#
        let advice = try Self.advice("partial", "timeout", probe: StatusScenes.probe("web", "down", members))
        #expect(advice.action.commands.first == "ping -c 3 -M do -s 1472 -I wwan0 198.51.100.9")
    }

    @Test(arguments: [
        (
            "portal_suspected", "web gets a certificate that is not the target's, as behind a captive portal",
            "Open a page without TLS in a browser"
        ),
        (
            "tls_intercepted",
            "web gets a certificate that is not the target's, and HTTP works: TLS is intercepted, or the server has the"
                + " wrong certificate",
            "Send nothing secret."
        ),
        ("https_unreachable", "web: HTTP works, and HTTPS does not", "Look for what blocks port 443"),
        ("quorum_missed", "web: fewer of the required probes are up than the quorum requires", "`reachagent status"),
    ])
    func `a common result of which one probe is named is explained with its name`(
        code: String,
        problem: String,
        action: String
    ) throws {
        let probe = StatusScenes.probe("web", "down", #""code":"tls_hostname""#)
        let advice = try Self.advice("partial", code, probe: probe)
        #expect(advice.code == code)
        #expect(advice.problem == problem)
        #expect(advice.action.description.hasPrefix(action))
        #expect(advice.action.commands.last == Self.look)
    }

    @Test(arguments: ["portal_suspected", "tls_intercepted"])
    func `an incomplete chain is the server's, and no sign of another machine`(code: String) throws {
        let probe = StatusScenes.probe("web", "down", #""code":"tls_missing_intermediate""#)
        let advice = try Self.advice("partial", code, probe: probe)
        #expect(advice.code == "tls_missing_intermediate")
        #expect(advice.problem == "web is down: the server did not send the certificate that issued its own")
        #expect(advice.action.description.hasPrefix("Configure the full chain on the server;"))
        #expect(advice.action.commands == [Self.look])
    }

    @Test func `the details of a last check with another code are not those of the verdict`() throws {
        let members = #"""
            "code":"dns_nxdomain","last_code":"timeout","detail":"Temporary failure","phase":"tls","peer":"0.0.0.0"
            """#
        let advice = try Self.advice("partial", "dns_nxdomain", probe: StatusScenes.probe("web", "down", members))
        #expect(advice.problem == "web is down: the name does not exist")
        let screen = try StatusScreenTests.status(
            StatusScenes.members(
                StatusScenes.state(StatusScenes.wlan0, #""connectivity":"partial""#),
                StatusScenes.list("probes", StatusScenes.probe("web", "down", members))
            ),
            columns: 120
        ).screen
        #expect(screen.contains("[timeout] at the last check, Temporary failure"))
    }

    @Test func `an expired certificate may be that of a clock that is wrong`() throws {
        let probe = StatusScenes.probe("web", "down", #""code":"tls_expired""#)
        let advice = try Self.advice("partial", "tls_expired", probe: probe)
        #expect(advice.action.commands == ["timedatectl status", Self.look])
    }
}
