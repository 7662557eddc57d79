import EventEnvelope
import StateClient
import Testing

@testable import ReachAgent

/// What people read of a status on a terminal.
@Suite struct StatusTextTests {
    /// The middle of the night, and a zone that is an hour ahead.
    private static let local: @Sendable (Timestamp) -> String = { moment in
        let ahead = Timestamp(microsecondsSince1970: moment.microsecondsSince1970 + 3_600_000_000).description
        return ahead.prefix(23) + "+01:00"
    }

    private static func text(_ members: String, columns: Int = 80, hasColour: Bool = false) throws -> String {
        let json = "{\"time\":\"2026-11-21T13:00:00Z\"\(members.isEmpty ? "" : ",")\(members)}"
        let style = TerminalStyle(hasColour: hasColour, hasUnicode: false, columns: columns)
        let reply = try StatusReply(parameters: Array(json.utf8))
        return StatusText(reply, style: style, now: Timestamp(microsecondsSince1970: 0), local: local).text
    }

    private static let wifi = #"""
        "via":"wifi","interface":"wlan0","gateway":"192.0.2.1","source":"192.0.2.2"
        """#
    private static let reachable = #"""
        "state":{"via":"wifi","connectivity":"unknown","path":{\#(wifi),"ipv4":{\#(wifi)},\#
        "ipv6":{"via":"none","reason":"no_route"}}},"since":"2026-11-21T12:30:00Z","for_ms":1800000,\#
        "via_since":"2026-11-21T09:48:00Z","via_for_ms":11520000,\#
        "cause":{"kind":"address","code":"address_added","interface":"wlan0","detail":"wlan0: 192.0.2.2/24"}
        """#

    private static func lost(_ path: String) -> String {
        #"""
        "state":{"via":"none","connectivity":"none","path":{"via":"none",\#(path)}},"since":"2026-11-20T22:30:00Z"
        """#
    }

    @Test func `the first line is the answer, with how long it has been so`() throws {
        let lines = try Self.text(Self.reachable).split(separator: "\n", omittingEmptySubsequences: false)
        #expect(
            lines.prefix(8) == [
                "reachable through wifi wlan0 (IPv4), since 10:48:00+01:00, 3 h 12 min ago",
                "",
                "  IPv4          wifi wlan0, gateway 192.0.2.1, from 192.0.2.2",
                "  IPv6          none: no route [no_route]",
                "  connectivity  not known: no probe is configured, only the kernel was asked",
                "  last change   wlan0: 192.0.2.2/24 [address_added]; 13:30:00+01:00, 30 min ago",
                "",
                "AGENT",
            ]
        )
    }

    @Test(arguments: [
        (#""reason":"link_down","interface":"eth0""#, "no carrier on eth0 [link_down]"),
        (#""reason":"link_down","interface":"eth1""#, "eth1 is administratively down [link_down]"),
        (#""reason":"link_down","interface":"eth9""#, "eth9 is down [link_down]"),
        (#""reason":"link_down""#, "the interface is down [link_down]"),
        (#""reason":"no_route""#, "no route [no_route]"),
        (#""reason":"no_address","interface":"eth0""#, "eth0 has no address to send from [no_address]"),
        (#""reason":"from_the_future""#, "for a reason that this version does not know [from_the_future]"),
        (#""reason":7"#, "no reason is given"),
    ])
    func `a loss is told with its reason, its code, and the day when it is another one`(
        _ path: String,
        _ reason: String
    ) throws {
        let interfaces = #"""
            ,"interfaces":[{"name":"eth0","kind":"wired","usable":false,"state":"no carrier"},\#
            {"name":"eth1","kind":"wired","usable":false,"state":"administratively down"}]
            """#
        let text = try Self.text(Self.lost(path) + interfaces, columns: 200)
        let first = text.split(separator: "\n").first
        #expect(first.map(String.init) == "not reachable: \(reason), since 2026-11-20 23:30:00+01:00, 14 h 30 min ago")
    }

    @Test func `a moment of another day is told with its day`() {
        let now = Timestamp(microsecondsSince1970: 1_795_266_000_000_000)
        let clock = ClockText(now: now, local: Self.local)
        let moment = Timestamp(microsecondsSince1970: now.microsecondsSince1970 - 86_400_000_000)
        #expect(clock.text(now) == "14:00:00+01:00")
        #expect(clock.text(moment) == "2026-11-20 14:00:00+01:00")
        #expect(clock.age(of: moment) == "1 d ago")
        #expect(clock.age(of: moment, age: .seconds(61)) == "1 min 1 s ago")
        #expect(clock.age(of: Timestamp(microsecondsSince1970: .min)) == "just now")
    }

    @Test(arguments: [
        (0, "0 s"), (59, "59 s"), (60, "1 min"), (3661, "1 h 1 min"), (3605, "1 h"), (93_784, "1 d 2 h"), (-5, "0 s"),
    ])
    func `ages have the two largest units that matter`(_ seconds: Int, _ text: String) {
        #expect(DurationText.coarse(.seconds(seconds)) == text)
    }

    @Test(
        arguments: [
            (0, "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (1_234_567, "1.1 MiB"), (500 << 20, "500 MiB"),
            (UInt64.max, "16777215 TiB"),
        ] as [(UInt64, String)]
    )
    func `bytes are told in the largest unit`(_ count: UInt64, _ text: String) {
        #expect(ByteCountText.of(count) == text)
    }

    @Test func `what is wrong stands right below the answer`() throws {
        let text = try Self.text(
            Self.reachable + #"""
                ,"synchronized":false,"overruns":{"count":2,"code":"netlink_overrun","last":"2026-11-21T12:59:30Z"},\#
                "pending":{"state":{"via":"none","path":{"via":"none","reason":"no_route"}},\#
                "since":"2026-11-21T12:59:59Z","for_ms":1000},\#
                "journal":{"degraded":true,"code":"no_space","detail":"No space left","missing":[\#
                {"first_seq":4,"last_seq":5},{"first_seq":9,"last_seq":9},{"first_seq":-1,"last_seq":9}]},\#
                "sockets":{"connections":16,"limit":16}
                """#,
            columns: 120
        )
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).prefix(8)
        #expect(
            lines == [
                "reachable through wifi wlan0 (IPv4), since 10:48:00+01:00, 3 h 12 min ago",
                "about to change: not reachable: no route [no_route], since 13:59:59+01:00, 1 s ago",
                "! the view of the kernel is not certain: messages were lost, and all is being read again",
                "! messages of the kernel were lost 2 times [netlink_overrun], last 13:59:30+01:00, 30 s ago",
                "! events are not kept [no_space]: No space left",
                "! the journal lacks the events 4 to 5, 9",
                "! all 16 connections are in use: others are turned away",
                "",
            ]
        )
    }

    @Test(
        arguments: [
            ("none", "none", "eth0", "full", true), ("wired", "local", "eth0", "full", true),
            ("wired", "partial", "eth0", "full", false), ("wired", "full", "eth0", "full", false),
            ("none", "none", "eth0", "unknown", false), ("none", "none", "wwan0", "full", false),
        ]
    )
    func `a standby that works is named where the preferred interface leads nowhere`(
        via: String,
        connectivity: String,
        preferred: String,
        standby: String,
        isNamed: Bool
    ) throws {
        let text = try Self.text(
            #"""
            "state":{"via":"\#(via)","connectivity":"\#(connectivity)","path":{"via":"\#(via)",\#
            "interface":"\#(preferred)"}},\#
            "uplinks":[{"interface":"eth0","kind":"wired","connectivity":"none","used":false},\#
            {"interface":"wwan0","kind":"wwan","connectivity":"\#(standby)","used":false}]
            """#,
            columns: 120
        )
        #expect(text.contains("UPLINKS"))
        let advice = "wwan0 works: give its default route a lower metric than that of eth0, or ip link set eth0 down"
        let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.contains(advice) == isNamed)
    }

    @Test func `a loss of long ago is told with the agent, and is no problem`() throws {
        let losses = #","synchronized":true,"overruns":{"count":1,"last":"2026-11-20T12:00:00Z"}"#
        let text = try Self.text(Self.reachable + losses, columns: 120)
        #expect(!text.contains("! "))
        #expect(text.contains("kernel        messages of the kernel were lost once, last 2026-11-20 13:00:00+01:00"))
    }

    @Test func `targets, interfaces and changes are told in short, the loopback not at all`() throws {
        let text = try Self.text(
            Self.reachable + #"""
                ,"targets":[{"name":"office","state":{"via":"wwan","path":{"via":"wwan","interface":"wg0",\#
                "underlay":{"interface":"wwan0"},"source":"10.8.0.2"}},"since":"2026-11-21T12:59:00Z"}],\#
                "interfaces":[{"name":"lo","kind":"loopback","usable":true,"state":"up"},\#
                {"name":"eth0","kind":"wired","kind_is_guess":true,"usable":false,"state":"no carrier"},\#
                {"name":"wlan0","kind":"wifi","usable":true,"state":"up","addresses":[\#
                {"address":"192.0.2.2","prefix_length":24},{"address":"fe80::2","flags":["tentative"]}]}],\#
                "recent":[{"time":"2026-11-21T12:59:00Z","subject":"office","from":"unknown","to":"wwan wg0",\#
                "code":"initial"},{"time":"2026-11-21T12:59:59Z","subject":"default","from":"none","to":"wifi wlan0",\#
                "code":"link_up","detail":"wlan0: up"}],\#
                "agent":{"version":"0.1.0","pid":812,"started":"2026-11-21T12:00:00Z"},"last_seq":9
                """#
        )
        #expect(
            text.hasSuffix(
                """
                TARGETS
                  office        wwan wg0 over wwan0, from 10.8.0.2; since 13:59:00+01:00,
                                1 min ago

                INTERFACES
                  wlan0         wifi      up, 192.0.2.2/24, fe80::2 tentative
                  eth0          wired?    no carrier

                LAST CHANGES
                  13:59:59+01:00  1 s ago    none -> wifi wlan0 [link_up] wlan0: up
                  13:59:00+01:00  1 min ago  office: unknown -> wwan wg0 [initial]

                AGENT
                  agent         version 0.1.0, process 812, started 13:00:00+01:00, 1 h ago
                  events        the last one is number 9
                  journal       none: nothing outlives the agent
                """
            )
        )
    }

    @Test(arguments: [40, 60, 80])
    func `no line is longer than the terminal is wide`(_ columns: Int) throws {
        let text = try Self.text(
            Self.lost(#""reason":"link_down","interface":"wlan0""#)
                + #","journal":{"directory":"/var/lib/reachagent","oldest_seq":1,"newest_seq":99999,"bytes":4000,"#
                + #""sync":"interval","sync_ms":1000}"#,
            columns: columns
        )
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= columns })
    }

    @Test func `nothing that the agent sends reaches the terminal as a control character`() throws {
        let evil = #"a\u001b[31m\n\u202e"#
        let text = try Self.text(
            #"""
            "state":{"via":"\#(evil)","connectivity":"\#(evil)","path":{"via":"\#(evil)","interface":"\#(evil)",\#
            "ipv4":{"via":"none","reason":"\#(evil)"}}},"cause":{"code":"\#(evil)","detail":"\#(evil)"},\#
            "targets":[{"name":"\#(evil)","state":{"path":{"via":"\#(evil)"}}}],\#
            "interfaces":[{"name":"\#(evil)","kind":"\#(evil)","state":"\#(evil)",\#
            "addresses":[{"address":"\#(evil)","flags":["\#(evil)"]}]}],\#
            "recent":[{"subject":"\#(evil)","from":"\#(evil)","to":"\#(evil)","code":"\#(evil)","detail":"\#(evil)"}],\#
            "agent":{"version":"\#(evil)"},"journal":{"directory":"\#(evil)","degraded":true,"code":"\#(evil)"},\#
            "overruns":{"count":1,"code":"\#(evil)"},"sockets":{"events":"\#(evil)"}
            """#
        )
        #expect(
            text.unicodeScalars.allSatisfy { $0 == "\n" || ($0.value >= 0x20 && $0.value != 0x7F && $0 != "\u{202E}") }
        )
        #expect(text.contains(#"\u{1b}"#))
    }

    @Test func `colours are used only where there are colours`() throws {
        #expect(try !Self.text(Self.reachable).contains("\u{1B}"))
        #expect(try Self.text(Self.reachable, hasColour: true).hasPrefix("\u{1B}[32mreachable"))
        #expect(try Self.text(Self.lost(#""reason":"no_route""#), hasColour: true).hasPrefix("\u{1B}[31mnot reachable"))
    }

    @Test func `an agent that says next to nothing is no reason to fail`() throws {
        #expect(try Self.text("").hasPrefix("not known: the kernel has not answered yet\n"))
    }
}
