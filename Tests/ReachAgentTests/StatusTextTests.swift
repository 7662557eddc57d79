import AgentEvents
import Testing

@testable import ReachAgent

/// The text of a status on a terminal, line by line.
@Suite struct StatusTextTests {
    /// The middle of the night, and a zone that is an hour ahead.
    private static let local: @Sendable (Timestamp) -> String = { moment in
        let ahead = Timestamp(microsecondsSince1970: moment.microsecondsSince1970 + 3_600_000_000).description
        return ahead.prefix(23) + "+01:00"
    }

    private static func status(_ members: String, columns: Int = 80, hasColour: Bool = false) throws -> StatusText {
        let json = "{\"time\":\"2026-11-21T13:00:00Z\"\(members.isEmpty ? "" : ",")\(members)}"
        let style = TerminalStyle(hasColour: hasColour, hasUnicode: false, columns: columns)
        let reply = try EventDecoder.decode(AgentStatus.self, from: Array(json.utf8))
        return StatusText(reply, style: style, now: Timestamp(microsecondsSince1970: 0), local: local)
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

    @Test(arguments: [
        (
            #","configuration":{"files":[],"searched":["/etc/a"]}"#,
            "Write a configuration with two: `reachagent config init`."
        ),
        (#","configuration":{"files":["/etc/a"]}"#, "Write a configuration with two: `reachagent config init`."),
        ("", "It was started with '--no-config': start it with '--config' or '--probe'."),
    ])
    func `the first line is the answer, with its age, and the next ones say what to do`(
        _ configuration: String,
        _ action: String
    ) throws {
        let text = try Self.status(Self.reachable + configuration).screen
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(
            lines == [
                "REACHABLE over wifi wlan0 (IPv4), since 10:48:00 (3 h 12 min)",
                "no probe is configured: whether anything answers is not checked",
                "  [no_probe_configured]",
                "-> \(action)",
            ]
        )
    }

    @Test(arguments: [
        (#""known_us":0"#, "", "unknown: no probe is configured"),
        (#""known_us":0"#, #","probes":[{"probe":"web","verdict":"up"}]"#, "today unknown, 30 days unknown"),
        (#""known_us":9"#, "", "today 0.000 %, 30 days 0.000 %"),
    ])
    func `an availability that is not known has no number`(_ known: String, _ probes: String, _ text: String) throws {
        let share = #"{"available_us":0,\#(known)}"#
        let availability = #","availability":[{"today":\#(share),"days_30":\#(share)}]"#
        let lines = try Self.status(Self.reachable + availability + probes, columns: 120).full.split(separator: "\n")
        #expect(lines.drop { $0 != "AVAILABILITY" }.dropFirst().first == "  default path  \(text)")
    }

    @Test(arguments: [
        (#""remedy":"chmod +x '/a b'","command":"chmod +x '/a b'""#, "-> `chmod +x '/a b'`"),
        (#""remedy":"rm /a, or put the file there","command":"rm /a""#, "-> `rm /a`, or put the file there"),
        (#""remedy":"put the file there""#, "-> put the file there"),
        (#""remedy":"put the file there","command":"rm /""#, "-> put the file there"),
    ])
    func `of a refused hook's remedy only the command is shown as one`(_ remedy: String, _ text: String) throws {
        let refusal = #"{"code":"hook_missing","path":"/a","evidence":"there is no such file",\#(remedy)}"#
        let hook = #"{"hook":"led","failures":1,"last":{"outcome":"refused","refusal":\#(refusal)}}"#
        let lines = try Self.status(#"\#(Self.reachable),"hooks":[\#(hook)]"#, columns: 120).full.split(separator: "\n")
        #expect(lines.contains { $0.hasSuffix("  \(text)") }, "\(lines)")
    }

    @Test func `the paths of both families, their particulars and the last change are shown in full`() throws {
        let lines = try Self.status(Self.reachable, columns: 120).full.split(separator: "\n")
        #expect(
            lines.drop { $0 != "PATHS" }.prefix(4) == [
                "PATHS",
                "  IPv4          wifi wlan0, gateway 192.0.2.1, source 192.0.2.2",
                "  IPv6          none [no_route]",
                "  last change   wlan0: 192.0.2.2/24 [address_added], 13:30:00 (30 min)",
            ]
        )
    }

    @Test(arguments: [
        (#""reason":"link_down","interface":"eth0""#, "no carrier on eth0 [link_down]"),
        (#""reason":"link_down","interface":"eth1""#, "eth1 is switched off [link_down]"),
        (#""reason":"from_the_future""#, "there is no path [from_the_future]"),
    ])
    func `a loss is shown with its reason, its code, and the date if it is not today`(
        _ path: String,
        _ reason: String
    ) throws {
        let interfaces = #"""
            ,"interfaces":[{"name":"eth0","kind":"wired","usable":false,"state":"no carrier"},\#
            {"name":"eth1","kind":"wired","usable":false,"state":"administratively down"}]
            """#
        let lines = try Self.status(Self.lost(path) + interfaces, columns: 120).screen.split(separator: "\n")
        #expect(lines.prefix(2) == ["NOT REACHABLE, since 2026-11-20 23:30:00 (14 h 30 min)", reason[...]])
    }

    @Test func `a time on another day is shown with its date`() {
        let now = Timestamp(microsecondsSince1970: 1_795_266_000_000_000)
        let clock = ClockText(now: now, local: Self.local)
        let moment = Timestamp(microsecondsSince1970: now.microsecondsSince1970 - 86_400_000_000)
        #expect(clock.text(now) == "14:00:00+01:00")
        #expect(clock.brief(now) == "14:00:00")
        #expect(clock.text(moment) == "2026-11-20 14:00:00+01:00")
        #expect(clock.brief(moment) == "2026-11-20 14:00:00")
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
    func `bytes are shown in the largest unit`(_ count: UInt64, _ text: String) {
        #expect(ByteCountText.of(count) == text)
    }

    @Test func `a change that has not settled is shown right below the answer`() throws {
        let text = try Self.status(
            Self.reachable + #"""
                ,"pending":{"state":{"via":"none","path":{"via":"none","reason":"no_route"}},\#
                "since":"2026-11-21T12:59:59Z","for_ms":1000}
                """#
        ).screen
        #expect(text.split(separator: "\n").dropFirst().first == "about to change: NOT REACHABLE, for 1 s")
    }

    @Test func `an old loss is shown with the agent, and is not a problem`() throws {
        let losses = #","synchronized":true,"overruns":{"count":1,"last":"2026-11-20T12:00:00Z"}"#
        let status = try Self.status(Self.reachable + losses, columns: 120)
        #expect(!status.screen.contains("! "))
        #expect(
            status.full.contains(
                "kernel        kernel messages were lost once, last at 2026-11-20 13:00:00; resynchronized"
            )
        )
    }

    @Test func `targets, interfaces and changes are shown in full, the loopback not at all`() throws {
        let text = try Self.status(
            Self.reachable + #"""
                ,"targets":[{"name":"office","state":{"via":"wwan","path":{"via":"wwan","interface":"wg0",\#
                "underlay":{"interface":"wwan0"},"source":"10.8.0.2"}},"since":"2026-11-21T12:59:00Z"}],\#
                "interfaces":[{"name":"lo","kind":"loopback","usable":true,"state":"up"},\#
                {"name":"eth0","kind":"wired","kind_is_guess":true,"usable":false,"state":"no carrier"},\#
                {"name":"wlan0","kind":"wifi","usable":true,"state":"up","addresses":[\#
                {"address":"192.0.2.2","prefix_length":24},{"address":"fe80::2","flags":["tentative"]}]}],\#
                "recent":[{"seq":8,"time":"2026-11-21T12:59:00Z","subject":"office","from":"unknown","to":"wwan wg0",\#
                "code":"initial"},{"seq":9,"time":"2026-11-21T12:59:59Z","subject":"default","from":"none","to":"wifi wlan0",\#
                "code":"link_up","detail":"wlan0: up"}],\#
                "agent":{"version":"0.1.0","pid":812,"started":"2026-11-21T12:00:00Z"},"last_seq":9
                """#
        ).full
        #expect(
            text.hasSuffix(
                """
                TARGET  PATH                                  SINCE
                office  wwan wg0 over wwan0, source 10.8.0.2  13:59:00 (1 min)

                INTERFACES
                  wlan0         wifi      up, 192.0.2.2/24, fe80::2 tentative
                  eth0          wired?    no carrier

                LAST CHANGES
                13:59:59      none -> wifi wlan0 [link_up] wlan0: up  #9
                13:59:00      office: unknown -> wwan wg0 [initial]   #8

                AGENT
                  agent         version 0.1.0, process 812, since 13:00:00 (1 h)
                  events        last event #9
                  journal       none: events are lost when the agent ends
                """
            ),
            "\(text)"
        )
    }

    @Test func `nothing that the agent sends reaches the terminal as a control character`() throws {
        let evil = #"a\u001b[31m\n\u202e"#
        let text = try Self.status(
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
        ).full
        #expect(
            text.unicodeScalars.allSatisfy { $0 == "\n" || ($0.value >= 0x20 && $0.value != 0x7F && $0 != "\u{202E}") }
        )
        #expect(text.contains(#"\u{1b}"#))
    }

    @Test func `an agent without a file lists the paths that it searches`() throws {
        let text = try Self.status(Self.reachable + #","configuration":{"files":[],"searched":["/etc/a","/usr/b"]}"#)
            .full
        #expect(text.contains("  configuration  none; looked for /etc/a, /usr/b\n"))
    }

    @Test func `a configuration that was read before the clock was set has its true age`() throws {
        let configuration = #"{"files":["/etc/a"],"loaded":"1970-01-02T00:00:00Z","loaded_for_ms":3000}"#
        let text = try Self.status(Self.reachable + #","configuration":\#(configuration)"#).full
        #expect(text.contains("  configuration  /etc/a, read 1970-01-02 01:00:00 (3 s)\n"))
    }

    @Test func `colours are used only where there are colours`() throws {
        #expect(try !Self.status(Self.reachable).full.contains("\u{1B}"))
        #expect(try Self.status(Self.reachable, hasColour: true).screen.hasPrefix("\u{1B}[32mREACHABLE"))
        let lost = try Self.status(Self.lost(#""reason":"no_route""#), hasColour: true).screen
        #expect(lost.hasPrefix("\u{1B}[31mNOT REACHABLE"))
    }

    @Test func `a nearly empty agent status does not fail`() throws {
        #expect(try Self.status("").screen == "UNKNOWN: the kernel has not answered yet")
        #expect(try Self.status("").full.hasPrefix("UNKNOWN: the kernel has not answered yet\n"))
    }

    @Test(arguments: [20, 30, 60])
    func `a table shrinks its widest column, and omits empty ones`(_ columns: Int) {
        var table = FittedTable(["NAME", .right("COUNT"), "DETAIL", "EMPTY"])
        table.add(["wlan0", "7", "a b", ""])
        table.add(["longer-than-that", "1000", "a text of some words", ""])
        let lines = table.lines(TerminalStyle(hasColour: false, hasUnicode: false, columns: columns))
        #expect(lines.count == 3)
        #expect(lines.allSatisfy { $0.count <= columns && !$0.contains("EMPTY") && $0.last != " " })
        #expect(lines.last?.contains(columns == 60 ? "a text of some words" : "...") == true)
    }

    @Test(arguments: [(2, "1 more is not up"), (3, "2 more are not up")])
    func `the probes beyond the first are counted`(count: Int, words: String) throws {
        let probes = (1...count).map { #"{"probe":"p\#($0)","verdict":"down"}"# }.joined(separator: ",")
        let status = try Self.status(Self.reachable + #","probes":[\#(probes)]"#)
        #expect(status.brief(probesAtMost: 1).last == "\(words): `reachagent status probes`")
    }

    /// The agent lists those that are not up first, as many as a reply takes.
    @Test(arguments: [
        ("down", "9,938 more are beyond the size of a reply", "9,938 more"),
        ("up", "9,939 probes are up: p1, 9,938 more", "9,938 more, all up"),
    ])
    func `probes that are not listed are up only after one that is`(
        verdict: String,
        brief: String,
        list: String
    ) throws {
        let probe = #"{"probe":"p1","verdict":"\#(verdict)"}"#
        let status = try Self.status(Self.reachable + #","probes":[\#(probe)],"probes_omitted":9938"#)
        let words = [status.brief(probesAtMost: 5), status.probes()].map { $0.last?.replacing("\u{a0}", with: " ") }
        #expect(words == [brief, list])
    }
}
