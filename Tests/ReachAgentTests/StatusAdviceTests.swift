import AgentEvents
import CheckResults
import Reachability
import Testing

@testable import ReachAgent

/// The first thing to do about each state.
@Suite struct StatusAdviceTests {
    private static func status(_ members: String) throws -> AgentStatus {
        try EventDecoder.decode(AgentStatus.self, from: Array("{\(members)}".utf8))
    }

    private static func advice(_ members: String) throws -> Advice? {
        try status(members).advice { FindingCode(rawValue: $0).map { ($0.sentence, $0.remedy) } }
    }

    /// A state without a path; a path with a prefix is that of one family, and the other one has no route.
    private static func lost(_ path: String) -> String {
        let state = StatusScenes.state(#""via":"none",\#(path)"#, via: "none", #""connectivity":"none""#)
        guard path.contains(#""prefix""#) else { return state }
        let other = path.contains("::/0") ? "ipv4" : "ipv6"
        return state.replacing(
            #""\#(other)":{"via":"none",\#(path)}"#,
            with: #""\#(other)":{"via":"none","reason":"no_route"}"#
        )
    }

    private static func interfaces(_ interfaces: String...) -> String { StatusScenes.list("interfaces", interfaces) }

    /// `eth0` with an address that another machine has.
    private static let duplicate = StatusScenes.interface("eth0", "wired", "2001:db8::2/64").replacing(
        #""prefix_length":64"#,
        with: #""prefix_length":64,"usable":false,"flags":["tentative","dadfailed"]"#
    )

    /// A path's reason, the interfaces, and the beginning of the problem and the commands that are expected.
    private static let paths: [(path: String, interfaces: String, problem: String, commands: [String])] = [
        (
            #""reason":"link_down","interface":"eth0""#, interfaces(StatusScenes.down("eth0", "wired", "no carrier")),
            "no carrier on eth0", ["ethtool eth0"]
        ),
        (
            #""reason":"link_down","interface":"wlan0""#, interfaces(StatusScenes.down("wlan0", "wifi", "no carrier")),
            "no carrier on wlan0", ["iw dev wlan0 link", "rfkill list"]
        ),
        (
            #""reason":"link_down","interface":"wwan0""#, interfaces(StatusScenes.down("wwan0", "wwan", "no carrier")),
            "no carrier on wwan0", ["mmcli -m any"]
        ),
        (
            #""reason":"link_down","interface":"a$b""#,
            interfaces(StatusScenes.down("a$b", "wired", "administratively down")), "a$b is switched off",
            ["ip link set 'a$b' up"]
        ),
        (
            #""reason":"link_down","interface":"wlan0""#,
            interfaces(StatusScenes.down("wlan0", "wifi", "administratively down")),
            "wlan0 or its radio is switched off", ["rfkill list", "ip link set wlan0 up"]
        ),
        (
            #""reason":"no_route""#, interfaces(StatusScenes.down("wwan0", "wwan", "administratively down")),
            "no route: wwan0 or its radio is switched off", ["rfkill list", "ip link set wwan0 up"]
        ),
        (#""reason":"link_down""#, interfaces(), "the interface is down", ["reachagent interfaces"]),
        (
            #""reason":"link_dormant","interface":"wlan0""#, interfaces(), "wlan0 is associated and waits for its keys",
            ["journalctl -b -u wpa_supplicant -u iwd"]
        ),
        (
            #""reason":"leads_nowhere","interface":"dummy0""#, interfaces(), "the default route leads into dummy0",
            ["ip route show table all default", "ip rule", "ip -6 rule"]
        ),
        (
            #""reason":"leads_nowhere","interface":"lo""#, interfaces(),
            "the default route ends at this machine: it is of type 'local', or leads into lo",
            ["ip route show table all default", "ip rule", "ip -6 rule"]
        ),
        (
            #""reason":"no_address","interface":"eth0""#, interfaces(), "eth0 has no address to send from",
            ["journalctl -b -u NetworkManager -u systemd-networkd -u dhcpcd", "ip address show dev eth0"]
        ),
        (
            #""reason":"no_address","interface":"eth0","prefix":"0.0.0.0/0""#, interfaces(duplicate),
            "eth0 has no IPv4 address to send from",
            ["journalctl -b -u NetworkManager -u systemd-networkd -u dhcpcd", "ip address show dev eth0"]
        ),
        (
            #""reason":"no_address","interface":"eth0","prefix":"0.0.0.0/0","gateway":"fe80::1""#,
            interfaces(StatusScenes.interface("eth0", "wired", "192.0.2.2/24")),
            "eth0 has no link-local IPv6 address from which to find its IPv6 router",
            ["ip -6 address show dev eth0", "sysctl net/ipv6/conf/eth0/disable_ipv6"]
        ),
        (
            #""reason":"no_address","interface":"eth0","prefix":"0.0.0.0/0","gateway":"fe80::1""#,
            interfaces(StatusScenes.interface("eth0", "wired", "fe80::2/64")), "eth0 has no IPv4 address to send from",
            ["journalctl -b -u NetworkManager -u systemd-networkd -u dhcpcd", "ip address show dev eth0"]
        ),
        (
            #""reason":"no_address","interface":"eth0","prefix":"::/0""#,
            interfaces(StatusScenes.interface("eth0", "wired", "fe80::1/64")),
            "eth0 has no IPv6 address to send from",
            ["journalctl -b -u NetworkManager -u systemd-networkd -u dhcpcd", "ip address show dev eth0"]
        ),
        (
            #""reason":"no_address","interface":"eth0","prefix":"::/0""#, interfaces(duplicate),
            "eth0 has no IPv6 address to send from: another machine uses 2001:db8::2",
            ["ip address show dev eth0 dadfailed"]
        ),
        (
            #""reason":"address_tentative","interface":"eth0""#, interfaces(),
            "the address of eth0 is still being checked",
            ["ip address show dev eth0 tentative"]
        ),
        (#""reason":"no_route""#, interfaces(), "no route", ["ip route", "ip -6 route", "ip rule", "ip -6 rule"]),
        (
            #""reason":"no_route""#, interfaces(StatusScenes.down("eth0", "wired", "no carrier")),
            "no route: no carrier on eth0", ["ethtool eth0"]
        ),
        (
            #""reason":"no_route""#,
            interfaces(
                StatusScenes.interface("eth0", "virtual", "192.0.2.2/24")
                    .replacing(#""usable":true,"state":"up""#, with: #""usable":false,"state":"administratively down""#)
            ),
            "no route: eth0 is switched off", ["ip link set eth0 up"]
        ),
        (
            #""reason":"no_route""#, interfaces(StatusScenes.interface("eth0", "wired", "fe80::1/64")),
            "no route: eth0 has no address",
            ["journalctl -b -u NetworkManager -u systemd-networkd -u dhcpcd", "ip address show dev eth0"]
        ),
        (
            #""reason":"no_route""#, interfaces(StatusScenes.interface("eth0", "wired", "192.0.2.2/24")), "no route",
            ["ip route", "ip -6 route", "ip rule", "ip -6 rule"]
        ),
        (
            #""reason":"route_unreachable""#, interfaces(), "a route or rule of type 'unreachable' refuses",
            ["ip route show table all type unreachable", "ip rule", "ip -6 rule"]
        ),
        (
            #""reason":"route_blackhole""#, interfaces(), "a route or rule of type 'blackhole' drops",
            ["ip route show table all type blackhole", "ip rule", "ip -6 rule"]
        ),
        (
            #""reason":"route_prohibited""#, interfaces(), "a route or rule of type 'prohibit' forbids",
            ["ip route show table all type prohibit", "ip rule", "ip -6 rule"]
        ),
        (
            #""reason":"underlay_down","interface":"wg0","underlay":{"interface":"wwan0"}"#, interfaces(),
            "the tunnel wg0 has no egress: the interface wwan0 below it", ["reachagent interfaces", "ip route"]
        ),
        (
            #""reason":"underlay_down","interface":"wg0","underlay":{}"#, interfaces(),
            "the tunnel wg0 has no egress: nothing below it can send its packets",
            ["reachagent interfaces", "ip route"]
        ),
        (
            #""reason":"underlay_down","interface":"wg0""#, interfaces(),
            "the tunnel wg0 has no egress: its own packets cannot leave", ["reachagent interfaces", "ip route"]
        ),
        (
            #""reason":"lookup_failed""#, interfaces(), "the kernel rejected the route lookup",
            ["reachagent diagnose", "ip route get ADDRESS"]
        ),
        (
            #""reason":"from_the_future""#, interfaces(), "there is no path", ["reachagent interfaces", "ip route"]
        ),
    ]

    @Test(arguments: paths.indices)
    func `a lost path is reported with its reason and commands to paste`(_ index: Int) throws {
        let (path, interfaces, problem, commands) = Self.paths[index]
        let advice = try #require(try Self.advice("\(Self.lost(path)),\(interfaces)"))
        #expect(advice.problem.hasPrefix(problem), "\(advice.problem)")
        #expect(advice.action.commands == commands, "\(advice.action)")
        #expect(path.contains("\"\(advice.code)\""))
    }

    @Test(arguments: [
        ("no_route", "no_address", "::/0", "eth0 has no IPv6 address to send from"),
        ("no_address", "no_route", "0.0.0.0/0", "eth0 has no IPv4 address to send from"),
        ("no_address", "no_address", "0.0.0.0/0", "eth0 has no address to send from"),
    ])
    func `a missing address is that of a family if the other one has another reason`(
        ipv4: String,
        ipv6: String,
        prefix: String,
        problem: String
    ) throws {
        let state = #"""
            "state":{"via":"none","connectivity":"none","path":{"via":"none","reason":"no_address","interface":"eth0",\#
            "prefix":"\#(prefix)","ipv4":{"via":"none","reason":"\#(ipv4)"},"ipv6":{"via":"none","reason":"\#(ipv6)"}}}
            """#
        #expect(try Self.advice(state)?.problem == problem)
    }

    @Test(arguments: [("dummy0", "virtual", true), ("loop", "loopback", false), ("lo", "unknown", false)])
    func `a kind is advised only for a device that can have another one`(name: String, kind: String, isAdvised: Bool)
        throws
    {
        let path = Self.lost(#""reason":"leads_nowhere","interface":"\#(name)""#)
        let advice = try Self.advice("\(path),\(Self.interfaces(StatusScenes.interface(name, kind)))")
        #expect(advice?.action.description.contains("'kinds'") == isAdvised)
        #expect(advice?.problem.contains("'local'") == !isAdvised)
    }

    @Test func `a standby tunnel is not said to have nothing below it, which an uplink does not tell`() throws {
        let standby = StatusScenes.uplink("wg0", "tunnel", "none", #""reason":{"code":"underlay_down"}"#)
        let advice = try Self.advice("\(Self.full),\(StatusScenes.list("uplinks", standby))")
        let problem = "the tunnel wg0 has no egress: its own packets cannot leave"
        #expect(advice?.problem == "the standby uplink wg0 does not work: \(problem)")
    }

    @Test func `every reason of a path is in the table`() {
        let several: [ReasonCode] = [
            .preferredPathDead, .portalSuspected, .tlsIntercepted, .httpsUnreachable, .quorumMissed,
        ]
        for code in ReasonCode.allCases where !several.contains(code) {
            #expect(Self.paths.contains { $0.path.contains("\"\(code.rawValue)\"") }, "\(code.rawValue) is missing")
        }
    }

    @Test(arguments: ["portal_suspected", "tls_intercepted", "https_unreachable", "quorum_missed"])
    func `a common failure of several probes is reported with what to do`(_ code: String) throws {
        let state = StatusScenes.state(
            StatusScenes.wlan0,
            #""connectivity":"partial","connectivity_reason":"\#(code)""#
        )
        let advice = try #require(try Self.advice(state))
        #expect(advice.code == code)
        #expect(advice.action.description.count > 20)
    }

    @Test(arguments: FindingCode.allCases)
    func `every code of a check is reported with its meaning and the command that shows each step`(_ code: FindingCode)
        throws
    {
        let members = StatusScenes.members(
            StatusScenes.state(
                StatusScenes.wlan0,
                #""connectivity":"partial","connectivity_reason":"\#(code.rawValue)","connectivity_probe":"a b""#
            ),
            StatusScenes.list(
                "probes",
                StatusScenes.probe("a b", "down", #""code":"\#(code.rawValue)","detail":"why""#)
            )
        )
        let advice = try #require(try Self.advice(members))
        #expect(advice.code == code.rawValue)
        #expect(advice.problem.hasPrefix("a b is down: "))
        #expect(advice.problem.hasSuffix(" (why)"))
        #expect(advice.action.commands.last == "reachagent probe 'a b'")
        // A command that cannot be pasted as it is helps nobody.
        let placeholders = ["ADDRESS", "HOST", "RESOLVER", "NAME"]
        #expect(!advice.action.commands.contains { command in placeholders.contains { command.contains($0) } })
    }

    @Test(arguments: [("down", "the name server that the probe asks"), ("unknown", "the name servers: ")])
    func `a silent name server is the probe's own, or one of this machine`(verdict: String, words: String) throws {
        let members = StatusScenes.members(
            StatusScenes.state(
                StatusScenes.wlan0,
                #""connectivity":"partial","connectivity_reason":"dns_timeout","connectivity_probe":"dns""#
            ),
            StatusScenes.list("probes", StatusScenes.probe("dns", verdict, #""code":"dns_timeout""#))
        )
        let advice = try #require(try Self.advice(members))
        #expect(advice.action.description.contains(words))
    }

    @Test(
        arguments: [
            (StatusScenes.oneUplink, nil, []),
            (StatusScenes.twoUplinks, "the certificate that web checks expires in 9 d", []),
            (
                StatusScenes.standbyDead, "the standby uplink wwan0 does not work: web is down",
                ["reachagent probe web --interface wwan0 --ipv4"]
            ),
            (
                StatusScenes.preferredDead,
                "the kernel prefers eth0, which is dead (no carrier on eth0), while wwan0 works",
                [
                    "ip link set eth0 down",
                    "sysctl net/ipv4/conf/eth0/ignore_routes_with_linkdown=1 "
                        + "net/ipv6/conf/eth0/ignore_routes_with_linkdown=1",
                    "ip -4 route replace default via 198.51.100.1 dev wwan0 metric 99",
                ]
            ),
            (StatusScenes.portal, "a captive portal answers", []),
            (
                StatusScenes.manyProbes, "unknown1 is unknown: the resolver did not answer in time",
                [
                    "resolvectl status", "cat /etc/resolv.conf", "reachagent probe unknown1",
                    "ping -c 3 -I wlan0 192.0.2.1",
                ]
            ),
            (StatusScenes.noProbe, "no probe is configured", ["reachagent config init"]),
            (
                StatusScenes.members(
                    StatusScenes.state(StatusScenes.wlan0, #""connectivity":"unknown""#),
                    StatusScenes.list("probes", StatusScenes.probe("web"), StatusScenes.probe("mail"))
                ),
                """
                no verdict counts: none has held for the settle time yet, the probes' names lead to this machine itself, \
                or no probe is required
                """, ["reachagent probe web"]
            ),
            (#""state":{"via":"unknown"}"#, nil, []), (#""time":"2026-11-21T01:26:00Z""#, nil, []),
        ] as [(String, String?, [String])]
    )
    func `a state is reported with the first thing to do`(_ members: String, _ problem: String?, _ commands: [String])
        throws
    {
        let advice = try Self.advice(members)
        #expect(advice?.problem.hasPrefix(problem ?? "") == problem.map { _ in true }, "\(advice?.problem ?? "")")
        #expect(advice?.action.commands ?? [] == commands)
    }

    @Test(arguments: [
        (AgentEvents.ProbePoint(probe: "web"), "reachagent probe web"),
        (AgentEvents.ProbePoint(probe: "web", family: "ipv4"), "reachagent probe web --ipv4"),
        (
            AgentEvents.ProbePoint(probe: "web", interface: "wwan0", family: "ipv6"),
            "reachagent probe web --interface wwan0 --ipv6"
        ),
        (AgentEvents.ProbePoint(probe: "a b", interface: "c d"), "reachagent probe 'a b' --interface 'c d'"),
        (AgentEvents.ProbePoint(probe: "web", family: "; reboot"), "reachagent probe web"),
        (
            AgentEvents.ProbePoint(probe: AgentEvents.ProbePoint.firstHopName, interface: "wwan0"),
            "reachagent check first-hop"
        ),
    ])
    func `the command of a point checks the same interface and family`(point: AgentEvents.ProbePoint, command: String) {
        #expect(point.command.text == command)
    }

    @Test(arguments: [
        (
            [
                StatusScenes.route("eth0", 1024, "fe80::1", "ipv6"),
                StatusScenes.route("wwan0", 2000, "fe80::2", "ipv6"),
            ],
            ["ip -6 route replace default via fe80::2 dev wwan0 metric 1023"]
        ),
        (
            [
                StatusScenes.route("eth0", 100, "192.0.2.1"), StatusScenes.route("wwan0", 700, "fe80::2"),
                StatusScenes.route("eth0", 1024, "fe80::1", "ipv6"),
                StatusScenes.route("wwan0", 2000, "fe80::2", "ipv6"),
            ],
            [
                "ip -4 route replace default via inet6 fe80::2 dev wwan0 metric 99",
                "ip -6 route replace default via fe80::2 dev wwan0 metric 1023",
            ]
        ),
        (
            [
                StatusScenes.route("eth0", 100, "192.0.2.1"),
                StatusScenes.route("wwan0", 700, "198.51.100.1").replacing(#""table":254"#, with: #""table":52"#),
            ], []
        ),
        ([StatusScenes.route("eth0", 0, "192.0.2.1"), StatusScenes.route("wwan0", 700, "198.51.100.1")], []),
    ])
    func `the working uplink is preferred in each family that leads through the dead one`(
        routes: [String],
        commands: [String]
    ) throws {
        let state = StatusScenes.state(
            #""via":"wired","interface":"eth0","kind":"wired""#,
            via: "wired",
            #""connectivity":"local","alternative":{"code":"preferred_path_dead","preferred":"eth0","interface":"wwan0"}"#
        )
        let list = #""default_routes":[\#(routes.joined(separator: ","))]"#
        let advice = try #require(try Self.advice("\(state),\(list)"))
        #expect(advice.action.commands == ["ip link set eth0 down"] + commands)
        #expect(advice.action.description.hasSuffix("."))
    }

    @Test func `a standby uplink without carrier, a target without a path and an old certificate are shown`() throws {
        let full = StatusScenes.state(StatusScenes.wlan0, #""connectivity":"full""#)
        let standby = StatusScenes.members(
            full,
            StatusScenes.list(
                "uplinks",
                StatusScenes.uplink("eth0", "wired", "none", #""reason":{"code":"link_down"}"#)
            ),
            Self.interfaces(StatusScenes.down("eth0", "wired", "no carrier"))
        )
        #expect(try Self.advice(standby)?.problem == "the standby uplink eth0 does not work: no carrier on eth0")
        let target = #"""
            "targets":[{"name":"office","state":{"via":"none","reason":"no_route","address":"10.8.0.1",\#
            "path":{"via":"none","reason":"no_route"}}}]
            """#
        let lost = try Self.advice("\(full),\(target)")
        #expect(lost?.problem == "the target office has no path: no route")
        #expect(lost?.action.commands == ["reachagent route 10.8.0.1"])
        let old = "\(full),\(StatusScenes.list("probes", StatusScenes.probe("web", certificateDays: 2)))"
        #expect(try Self.advice(old)?.problem == "the certificate that web checks expires in 2 d")
    }

    @Test(
        arguments: [
            (
                "reverse_path_filter",
                ["sysctl net/ipv4/conf/wwan0/rp_filter=2", "reachagent probe web --interface wwan0 --ipv4"]
            ),
            (
                "no_route",
                ["ip route", "ip -6 route", "ip rule", "ip -6 rule", "reachagent probe web --interface wwan0 --ipv4"]
            ),
            // As configured, and over by midnight.
            ("budget_exhausted", nil),
        ] as [(String, [String]?)]
    )
    func `a standby uplink that this machine cannot check is shown, if that lasts`(code: String, commands: [String]?)
        throws
    {
        let members = StatusScenes.members(
            Self.full,
            StatusScenes.list(
                "probes",
                StatusScenes.probe("web", "unknown", #""interface":"wwan0","family":"ipv4","code":"\#(code)""#)
            ),
            StatusScenes.list(
                "uplinks",
                StatusScenes.uplink("wwan0", "wwan", "unknown", #""reason":{"code":"\#(code)","probe":"web"}"#)
            )
        )
        let advice = try Self.advice(members)
        #expect(advice?.action.commands == commands)
        #expect(
            advice?.problem.hasPrefix("the standby uplink wwan0 could not be checked: web is unknown: ")
                == commands.map { _ in true }
        )
    }

    @Test func `a certificate that is renewed in time is no problem, however short its life`() throws {
        let certificate = #""certificate":{"subject":"CN=web","not_after":"2026-11-26T00:00:00Z","days_left":4"#
        for (threshold, problem) in [
            ("", nil), (#","threshold":"1d""#, "the certificate that web checks expires in 4 d"),
        ] as [(String, String?)] {
            let probes = StatusScenes.list("probes", StatusScenes.probe("web", "up", "\(certificate)\(threshold)}"))
            #expect(try Self.advice("\(Self.full),\(probes)")?.problem == problem)
        }
    }

    // MARK: Sinks

    private static let full = StatusScenes.state(StatusScenes.wlan0, #""connectivity":"full""#)
    private static let local = StatusScenes.state(StatusScenes.wlan0, #""connectivity":"local""#)

    @Test(arguments: [
        (full, #""state":"connected""#, nil as String?),
        (full, #""state":"connecting""#, nil),
        (full, #""state":"waiting","code":"medium_excluded""#, nil),
        (full, #""state":"waiting","code":"budget_exhausted""#, nil),
        (local, #""state":"waiting","code":"broker_unreachable""#, nil),
        (
            full, #""state":"waiting","code":"broker_unreachable""#,
            "no connection to the broker of the sink fleet [broker_unreachable]: `journalctl -u reachagent-sink`"
        ),
        (
            local, #""state":"waiting","code":"broker_denied","detail":"d","pending":1"#,
            "no connection to the broker of the sink fleet [broker_denied]: d; 1 event waiting: `journalctl -u reachagent-sink`"
        ),
        (
            full, #""state":"connected","code":"broker_too_large","detail":"d""#,
            "the broker refuses something of the sink fleet [broker_too_large]: d: `journalctl -u reachagent-sink`"
        ),
        (
            full, #""state":"absent""#,
            "the sink fleet has not reported: is reachagent-sink installed? `systemctl status reachagent-sink` [sink_absent]"
        ),
    ])
    func `a sink that does not ship is a problem, unless it waits by policy`(
        state: String,
        sink: String,
        problem: String?
    ) throws {
        let sinks = #""sinks":[{"name":"fleet","broker":"nats://a.test","lost":0,\#(sink)}]"#
        let status = try Self.status("\(state),\(StatusScenes.healthy),\(sinks)")
        let problems = status.problems(
            at: Timestamp(microsecondsSince1970: 0),
            clock: \.description,
            moment: \.description
        )
        #expect(problems.map(\.description) == [problem].compactMap(\.self))
    }

    @Test(
        arguments: [
            (
                [("ping", "unknown", "icmp_not_permitted")],
                "ping, and the connectivity does not depend on it [icmp_not_permitted]: the system does not let this process "
                    + "send ICMP echo requests. Set the sysctl net.ipv4.ping_group_range to include a group of this user. "
                    + "`reachagent probe ping` shows each step."
            ),
            (
                [
                    ("a", "unknown", "icmp_not_permitted"), ("a", "unknown", "icmp_not_permitted"),
                    ("b", "unknown", "icmp_not_permitted"),
                ],
                "a and 1 more, and the connectivity does not depend on them [icmp_not_permitted]: the system does not let this "
                    + "process send ICMP echo requests. Set the sysctl net.ipv4.ping_group_range to include a group of this user. "
                    + "`reachagent probe a` shows each step."
            ),
            // Nothing that an administrator must repair, and nothing that is not known of a target.
            ([("web", "unknown", "cellular_not_allowed"), ("tv", "unknown", "dns_no_address")], nil),
            ([("web", "down", "connect_timeout"), ("api", "up", nil)], nil),
        ] as [([(name: String, verdict: String, code: String?)], String?)]
    )
    func `probes that this machine cannot check until it is repaired are a problem`(
        probes: [(name: String, verdict: String, code: String?)],
        problem: String?
    ) throws {
        let list = probes.map { probe in
            StatusScenes.probe(probe.name, probe.verdict, probe.code.map { #""code":"\#($0)""# } ?? "")
        }
        let status = try Self.status("\(Self.full),\(StatusScenes.list("probes", list))")
        let problems = status.problems(
            at: Timestamp(microsecondsSince1970: 0),
            explaining: { FindingCode(rawValue: $0).map { ($0.sentence, $0.remedy) } },
            clock: \.description,
            moment: \.description
        )
        #expect(problems.map(\.description) == [problem.map { "this machine cannot check \($0)" }].compactMap(\.self))
    }

    @Test func `the reason of an unknown connectivity is not a problem for a second time`() throws {
        let reason = #""connectivity":"unknown","connectivity_reason":"icmp_not_permitted","connectivity_probe":"ping""#
        let probe = StatusScenes.probe("ping", "unknown", #""code":"icmp_not_permitted""#)
        let state = StatusScenes.state(StatusScenes.wlan0, reason)
        let status = try Self.status("\(state),\(StatusScenes.list("probes", [probe]))")
        let problems = status.problems(
            at: Timestamp(microsecondsSince1970: 0),
            clock: \.description,
            moment: \.description
        )
        #expect(problems.isEmpty)
        #expect(status.advice()?.code == "icmp_not_permitted")
    }

    @Test(arguments: [
        ("192.0.2.2:443", "Permission denied", true), ("[::]:1023", "Permission denied", true),
        ("[::]:1024", "Permission denied", false), ("192.0.2.2:443", "Address already in use", false),
        ("[::]", "Permission denied", false),
    ])
    func `a port that needs a capability is a problem that no command about addresses solves`(
        address: String,
        reason: String,
        needsCapability: Bool
    ) throws {
        let sockets = #""sockets":{"unavailable":[{"address":"\#(address)","detail":"\#(reason)"}]}"#
        let problems = try Self.status("\(Self.full),\(sockets)").problems(
            at: Timestamp(microsecondsSince1970: 0),
            clock: \.description,
            moment: \.description
        )
        let hint =
            needsCapability
            ? "ports below 1024 need CAP_NET_BIND_SERVICE, which the agent does not have: listen on a higher one, "
                + "and restart the agent"
            : "retrying, see `ip address` and `ss -ltnp`"
        #expect(problems.map(\.description) == ["cannot listen on \(address) ([http] listen): \(reason); \(hint)"])
    }

    @Test(arguments: [
        (1, 1, nil), (15, 16, nil),
        (2, 2, "all 2 connections are in use, see `reachagent subscribers`: new ones are rejected"),
        (16, 16, "all 16 connections are in use, see `reachagent subscribers`: new ones are rejected"),
    ])
    func `a limit of connections is a problem once others have reached it, and not the reader alone`(
        count: Int,
        limit: Int,
        problem: String?
    ) throws {
        let sockets = #""sockets":{"connections":\#(count),"limit":\#(limit)}"#
        let problems = try Self.status("\(Self.full),\(sockets)").problems(
            at: Timestamp(microsecondsSince1970: 0),
            clock: \.description,
            moment: \.description
        )
        #expect(problems.map(\.description) == [problem].compactMap(\.self))
    }

    @Test(
        arguments: [
            (1000, nil, 0), (60_000, nil, 0), (60_001, nil, 1), (86_400_000, 0, 0), (86_400_000, 60_000, 0),
            (86_400_000, 60_001, 1), (1000, 60_001, 0),
        ] as [(Int, Int?, Int)]
    )
    func `a sink has a minute to report after the agent has started or read its configuration again`(
        uptime: Int,
        loaded: Int?,
        count: Int
    ) throws {
        let sinks = #""sinks":[{"name":"fleet","broker":"nats://a.test","lost":0,"state":"absent"}]"#
        let configuration = loaded.map { #""configuration":{"files":["/c"],"loaded_for_ms":\#($0)},"# } ?? ""
        let agent = #""agent":{"uptime_ms":\#(uptime)}"#
        let status = try Self.status("\(Self.full),\(configuration)\(agent),\(sinks)")
        let problems = status.problems(
            at: Timestamp(microsecondsSince1970: 0),
            clock: \.description,
            moment: \.description
        )
        #expect(problems.count == count)
    }
}
