import Testing

@testable import AgentEvents

/// The advice on a preferred path that is dead while another uplink works.
@Suite struct AlternativeAdviceTests {
    /// A dead path as in the status, and the advice on it.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let path: String
        var via = "none"
        let preferred: String
        let problem: String
        let commands: [String]
    }

    static let rows = [
        Row(
            testDescription: "no carrier",
            path: #""via":"none","interface":"wlan0","reason":"link_down""#,
            preferred: "wlan0",
            problem: "the kernel prefers wlan0, which is dead (no carrier on wlan0), while wwan0 works",
            commands: [
                "ip link set wlan0 down", "sysctl net/ipv4/conf/wlan0/ignore_routes_with_linkdown=1",
                "ip -4 route replace default via 198.51.100.1 dev wwan0 metric 99",
            ]
        ),
        Row(
            testDescription: "a tunnel whose underlay has no carrier",
            path: #""via":"none","interface":"vx0","reason":"underlay_down","underlay":{"interface":"wlan0"}"#,
            preferred: "wlan0",
            problem: "the kernel prefers wlan0, which is dead (the tunnel vx0 has no egress: the interface wlan0 below "
                + "it cannot send its packets), while wwan0 works",
            commands: [
                "ip link set wlan0 down", "ip -4 route replace default via 198.51.100.1 dev wwan0 metric 9",
            ]
        ),
        Row(
            testDescription: "a tunnel beyond which nothing answers",
            path: #""via":"wifi","interface":"vx0","underlay":{"interface":"wlan0"}"#,
            via: "wifi",
            preferred: "wlan0",
            problem: "the kernel prefers wlan0, which is dead (nothing beyond it answers), while wwan0 works",
            commands: [
                "ip link set wlan0 down", "ip -4 route replace default via 198.51.100.1 dev wwan0 metric 9",
            ]
        ),
        Row(
            testDescription: "a tunnel beyond which nothing answers, over an interface that works",
            path: #""via":"wifi","interface":"vx0","underlay":{"interface":"wlan0"}"#,
            via: "wifi",
            preferred: "vx0",
            problem: "the kernel prefers vx0, which is dead (nothing beyond it answers), while wwan0 works",
            commands: [
                "ip link set vx0 down", "ip -4 route replace default via 198.51.100.1 dev wwan0 metric 9",
            ]
        ),
        Row(
            testDescription: "a tunnel that is down itself",
            path: #""via":"none","interface":"vx0","reason":"link_down","underlay":{"interface":"wlan0"}"#,
            preferred: "vx0",
            problem: "the kernel prefers vx0, which is dead (vx0 is down), while wwan0 works",
            commands: [
                "ip link set vx0 down", "sysctl net/ipv4/conf/vx0/ignore_routes_with_linkdown=1",
                "ip -4 route replace default via 198.51.100.1 dev wwan0 metric 9",
            ]
        ),
    ]

    @Test("the advice names the reason, and beats the metric of the route that the kernel prefers", arguments: rows)
    func advice(_ row: Row) throws {
        func route(_ interface: String, _ metric: Int, _ gateway: String) -> String {
            #"""
            {"family":"ipv4","destination":"0.0.0.0/0","type":"unicast","table":254,"protocol":16,"metric":\#(metric),\#
            "nexthops":[{"interface":"\#(interface)","gateway":"\#(gateway)"}]}
            """#
        }
        let json = #"""
            {"state":{"via":"\#(row.via)","alternative":{"code":"preferred_path_dead","preferred":"\#(row.preferred)",\#
            "interface":"wwan0"},"path":{\#(row.path),"ipv4":{\#(row.path)},"ipv6":{"via":"none","reason":"no_route"}}},\#
            "interfaces":[{"name":"wlan0","kind":"wifi","usable":false,"state":"no carrier"}],"default_routes":[\#
            \#(route("vx0", 10, "10.9.0.1")),\#(route("wlan0", 100, "192.0.2.1")),\#(route("wwan0", 700, "198.51.100.1"))]}
            """#
        let advice = try #require(try EventDecoder.decode(AgentStatus.self, from: Array(json.utf8)).advice())
        #expect(advice.code == "preferred_path_dead")
        #expect(advice.problem == row.problem)
        #expect(advice.action.commands == row.commands)
    }

    @Test(
        arguments: [
            (#""gateway":"10.1.0.1","onlink":true"#, "", "via 10.1.0.1 dev wwan0 onlink"),
            (#""gateway":"10.1.0.1""#, #""source":"10.1.0.44","#, "via 10.1.0.1 dev wwan0 src 10.1.0.44"),
            (
                #""gateway":"10.1.0.1","onlink":true"#, #""source":"192.0.2.9","#,
                "via 10.1.0.1 dev wwan0 onlink src 192.0.2.9"
            ),
            (#""gateway":"fe80::1""#, "", "via inet6 fe80::1 dev wwan0"), (#""weight":1"#, "", "dev wwan0"),
        ]
    )
    func `the command that prefers an uplink repeats the router, onlink and the source of its route`(
        hop: String,
        source: String,
        words: String
    ) throws {
        let path = #""via":"none","interface":"wlan0","reason":"link_down""#
        let head = #""family":"ipv4","destination":"0.0.0.0/0","type":"unicast","table":254,"protocol":3"#
        let json = #"""
            {"state":{"via":"none","alternative":{"code":"preferred_path_dead","preferred":"wlan0","interface":"wwan0"},\#
            "path":{\#(path),"ipv4":{\#(path)},"ipv6":{"via":"none","reason":"no_route"}}},"default_routes":[\#
            {\#(head),"metric":50,"nexthops":[{"interface":"wlan0","gateway":"192.0.2.1"}]},\#
            {\#(head),"metric":60,\#(source)"nexthops":[{"interface":"wwan0",\#(hop)}]}]}
            """#
        let advice = try #require(try EventDecoder.decode(AgentStatus.self, from: Array(json.utf8)).advice())
        #expect(advice.action.commands.last == "ip -4 route replace default \(words) metric 49")
    }

    @Test(
        arguments: [
            // A probe proves the standby, in a table to which perhaps no rule leads other packets.
            ("full", 103, 254, ["ip link set wlan0 down", "ip -4 route add default via 198.51.100.1 dev wwan0"]),
            ("partial", 103, 9, ["ip link set wlan0 down", "ip -4 route add default via 198.51.100.1 dev wwan0"]),
            ("full", 103, 103, ["ip link set wlan0 down"]), ("unknown", 103, 9, ["ip link set wlan0 down"]),
            (
                "full", 254, 254,
                ["ip link set wlan0 down", "ip -4 route replace default via 198.51.100.1 dev wwan0 metric 99"]
            ),
        ] as [(String, Int, Int, [String])]
    )
    func `a standby that only probes prove gets a default route of the main table`(
        connectivity: String,
        table: Int,
        dead: Int,
        commands: [String]
    ) throws {
        func route(_ interface: String, _ table: Int, _ metric: Int, _ gateway: String) -> String {
            #"""
            {"family":"ipv4","destination":"0.0.0.0/0","type":"unicast","table":\#(table),"protocol":3,\#
            "metric":\#(metric),"nexthops":[{"interface":"\#(interface)","gateway":"\#(gateway)"}]}
            """#
        }
        let path = #""via":"none","interface":"wlan0","reason":"no_address","table":\#(dead)"#
        let json = #"""
            {"state":{"via":"none","alternative":{"code":"preferred_path_dead","preferred":"wlan0","interface":"wwan0"},\#
            "path":{\#(path),"ipv4":{\#(path)},"ipv6":{"via":"none","reason":"no_route"}}},\#
            "uplinks":[{"interface":"wwan0","kind":"wwan","connectivity":"\#(connectivity)","used":false}],\#
            "default_routes":[\#(route("wlan0", dead, 100, "192.0.2.1")),\#(route("wwan0", table, 700, "198.51.100.1"))]}
            """#
        let advice = try #require(try EventDecoder.decode(AgentStatus.self, from: Array(json.utf8)).advice())
        #expect(advice.action.commands == commands)
    }
}
