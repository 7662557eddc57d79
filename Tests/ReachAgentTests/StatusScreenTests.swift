import AgentEvents
import Foundation
import Testing

@testable import ReachAgent

/// Whole screens of `reachagent status`, as people see them.
@Suite struct StatusScreenTests {
    private static let local: @Sendable (Timestamp) -> String = { moment in
        let ahead = Timestamp(microsecondsSince1970: moment.microsecondsSince1970 + 3_600_000_000).description
        return ahead.prefix(23) + "+01:00"
    }

    static func status(
        _ members: String,
        columns: Int = 80,
        hasUnicode: Bool = false,
        hasColour: Bool = false
    ) throws -> StatusText {
        let json = "{\"time\":\"2026-11-21T01:26:00Z\",\(members)}"
        let style = TerminalStyle(hasColour: hasColour, hasUnicode: hasUnicode, columns: columns)
        let reply = try EventDecoder.decode(AgentStatus.self, from: Array(json.utf8))
        return StatusText(reply, style: style, now: Timestamp(microsecondsSince1970: 0), local: local)
    }

    /// The part of a status that is shown: an area, everything, or the screen.
    enum Part { case screen, full, uplinks, probes, agent }

    private static let screens: [(name: String, part: Part, members: String)] =
        StatusScenes.all.map { ($0.name, .screen, $0.members) } + [
            ("http-500.full", .full, StatusScenes.serverError),
            ("http-500.uplinks", .uplinks, StatusScenes.serverError),
            ("two-uplinks.uplinks", .uplinks, StatusScenes.twoUplinks),
            ("http-500.probes", .probes, StatusScenes.serverError),
            ("journal-degraded.agent", .agent, StatusScenes.journalDegraded),
            ("hooks.agent", .agent, StatusScenes.hooks), ("sinks.agent", .agent, StatusScenes.sinks),
        ]

    private static func text(_ status: StatusText, _ part: Part) -> String {
        switch part {
        case .screen: status.screen
        case .full: status.full
        case .uplinks: status.detail(of: .uplinks)
        case .probes: status.detail(of: .probes)
        case .agent: status.detail(of: .agent)
        }
    }

    /// `REACHAGENT_WRITE_GOLDEN=1 swift test --filter StatusScreenTests` writes the files anew; read them as a person would.
    @Test(arguments: screens.indices, [80, 120])
    func `a screen is that of its file`(_ index: Int, _ columns: Int) throws {
        let (name, part, members) = Self.screens[index]
        let screen = try Self.text(Self.status(members, columns: columns, hasUnicode: true), part) + "\n"
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Golden/status/\(name).\(columns).expected")
        if ProcessInfo.processInfo.environment["REACHAGENT_WRITE_GOLDEN"] != nil {
            try screen.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == screen)
    }

    @Test(arguments: StatusScenes.all.indices)
    func `a screen has room on a terminal of 80 columns and 24 lines`(_ index: Int) throws {
        let screen = try Self.status(StatusScenes.all[index].members).screen
        #expect(screen.split(separator: "\n", omittingEmptySubsequences: false).count <= 24, "\(screen)")
    }

    @Test(arguments: screens.indices, [20, 40, 60, 80, 120])
    func `no line is longer than the terminal is wide, except for an address to open`(_ index: Int, _ columns: Int)
        throws
    {
        let (_, part, members) = Self.screens[index]
        for hasUnicode in [false, true] {
            let screen = try Self.text(Self.status(members, columns: columns, hasUnicode: hasUnicode), part)
            let long = screen.split(separator: "\n").filter { $0.count > columns && !$0.contains("http://") }
            #expect(long.isEmpty, "\(long)")
        }
    }

    @Test func `colours change nothing but the colours`() throws {
        for scene in StatusScenes.all {
            let plain = try Self.status(scene.members).screen
            let coloured = try Self.status(scene.members, hasColour: true).screen
            #expect(coloured.replacing(/\u{1B}\[\d+m/, with: "") == plain)
            #expect(coloured != plain)
        }
    }

    @Test(
        arguments: [
            (StatusScenes.oneUplink, "wifi full"), (StatusScenes.serverError, "wifi partial: api"),
            (StatusScenes.preferredDead, "none: link_down"), (StatusScenes.noProbe, "wifi"),
            (StatusScenes.intercepted, "wifi partial: tls_intercepted"), (#""last_seq":1"#, "unknown"),
        ]
    )
    func `the short form is one line`(_ members: String, _ line: String) throws {
        #expect(try Self.status(members).short == line)
    }

    @Test func `an uplink has the metric of a route that works, not of a family without an address`() throws {
        let dead = #""via":"none","reason":"no_address","interface":"wwan0","gateway":"fe80::1","metric":1024"#
        let path = #"{\#(StatusScenes.wlan0),"ipv4":{\#(StatusScenes.wlan0)},"ipv6":{\#(dead)}}"#
        let members = [
            #""state":{"via":"wifi","connectivity":"full","path":\#(path)}"#,
            StatusScenes.list(
                "uplinks",
                StatusScenes.uplink("wlan0", "wifi", "full", isUsed: true),
                StatusScenes.uplink("wwan0", "wwan", "full")
            ),
            StatusScenes.list(
                "default_routes",
                StatusScenes.route("wlan0", 600, "192.0.2.1"),
                StatusScenes.route("wwan0", 700, "198.51.100.1"),
                StatusScenes.route("wwan0", 1024, "fe80::1", "ipv6")
            ),
        ]
        let screen = try Self.status(members.joined(separator: ",")).detail(of: .uplinks)
        let line = screen.split(separator: "\n").first { $0.contains("wwan0") && $0.contains("standby") }
        #expect(line?.contains("700") == true && line?.contains("198.51.100.1") == true, "\(screen)")
        #expect(line?.contains("fe80::1") == false, "\(screen)")
    }

    @Test func `of ten thousand probes the failing ones are shown, and the others counted`() throws {
        let probes =
            (1...9_998).map { StatusScenes.probe("p\($0)") } + [
                StatusScenes.probe("z", "down", #""code":"connect_refused""#),
                StatusScenes.probe("y", "unknown", #""code":"dns_timeout""#),
            ]
        let screen = try Self.status(#""probes":[\#(probes.joined(separator: ","))]"#).screen
        #expect(screen.contains("z      down [connect_refused]  12 min  4 s ago"))
        #expect(screen.contains("y      unknown [dns_timeout]   12 min  4 s ago"))
        #expect(screen.contains("9,998 more are up: p1, "))
        #expect(screen.split(separator: "\n").count < 10)
    }

    @Test func `hooks that do well are one line, and only in detail`() throws {
        let hooks = (1...5).map { #"{"hook":"\#($0)","kind":"file","runs":\#($0 == 1 ? 128 : 1),"failures":0}"# }
        let status = try Self.status(#""hooks":[\#(hooks.joined(separator: ","))]"#)
        #expect(status.detail(of: .agent).contains("\n  hooks         5, 132 runs\n"))
        #expect(!status.screen.contains("132"))
        let one = try Self.status(#""hooks":[{"hook":"a","runs":1,"failed_runs":1}]"#)
        #expect(one.full.contains("\n  hooks         1, 1 run, 1 of them failed\n"))
    }

    @Test func `hooks that wait for the network are counted, and need no remedy`() throws {
        let waiting = #""kind":"webhook","runs":0,"running":1,"waiting":2,"waits_for_network":true"#
        let busy = #"{"hook":"b","kind":"file","runs":3,"running":1,"waiting":1}"#
        let attempt = #""attempt":{"attempts":1,"max_attempts":6,"code":"http_status","detail":"got 503"}"#
        let status = try Self.status(#""hooks":[{"hook":"a",\#(waiting),\#(attempt)},\#(busy)]"#, columns: 240)
        #expect(
            status.full.contains("\n  hooks         2, 3 runs, 1 running, 1 waiting, 3 waiting for the network\n")
        )
        #expect(status.full.contains("attempt 1 of 6 failed: got 503 [http_status], waiting for the network\n"))
        #expect(status.full.contains("the agent retries once the machine is online\n"))
        let online = try Self.status(#""hooks":[{"hook":"a",\#(attempt)}]"#, columns: 240)
        #expect(online.full.contains("attempt 1 of 6 failed: got 503 [http_status], retrying\n"))
    }

    @Test(arguments: [
        ("http_status", "check the server", "check the server; try it: "),
        ("from_the_future", "check the server", "check the server; try it: "),
        ("no_route", "Look at `reachagent route ADDRESS`", "for rules about a protocol or port. Try it: "),
        ("no_address", "Check the interface's addresses: `ip address`.", "`ip address`. Try it: "),
        ("request_invalid", "The evidence names what is wrong", "or not all of it. Try it: "),
    ])
    func `a request that fails for a fault of this machine has the remedy for that`(
        _ code: String,
        _ retried: String,
        _ abandoned: String
    ) throws {
        let attempt = #""attempt":{"attempts":1,"max_attempts":6,"code":"\#(code)","detail":"no"}"#
        let last = #""failures":3,"last":{"outcome":"undelivered","code":"\#(code)"}"#
        for (members, remedy) in [(attempt, retried), (last, abandoned + "`reachagent hooks run a --event last`")] {
            let status = try Self.status(#""hooks":[{"hook":"a",\#(members)}]"#, columns: 240)
            let lines = status.full.split(separator: "\n")
            let line = try #require(
                lines.first { $0.hasPrefix("  ") && $0.contains("-> ") && $0.contains(remedy) },
                "\(lines)"
            )
            #expect(line.contains("check the server") == remedy.contains("check the server"))
        }
    }

    @Test func `of very many hooks that fail a few are shown, and hostile numbers do no harm`() throws {
        let hook = #"{"hook":"\u001b[2J","runs":18446744073709551615,"failed_runs":18446744073709551615,"failures":7}"#
        let hooks = repeatElement(hook, count: 100).joined(separator: ",")
        let text = try Self.status(#""hooks":[\#(hooks)],"hooks_omitted":9223372036854775807"#).full
        #expect(text.contains("\n  ...           88 more: `reachagent status agent`\n"))
        #expect(!text.contains("\u{1B}"))
    }

    @Test func `probes stopped by an exhausted budget are reported once`() throws {
        let probes = (1...3).map { StatusScenes.probe("p\($0)", "unknown", #""code":"budget_exhausted""#) }
        let screen = try Self.status(#""probes":[\#(probes.joined(separator: ","))]"#, columns: 120).screen
        #expect(screen.contains("! the byte budget of a metered link has no room for 3 probes: not checked"))
    }

    @Test func `a probe that was up when the budget was used up counts as up`() throws {
        let stopped = ["web", "api"].map { name in
            StatusScenes.probe(name, "up", #""last_code":"budget_exhausted""#)
                .replacing(#""last_outcome":"ok""#, with: #""last_outcome":"unknown""#)
        }
        let unknown = StatusScenes.probe("speed", "unknown", #""code":"budget_exhausted""#)
        let probes = [StatusScenes.probe("portal")] + stopped + [unknown]
        let screen = try Self.status(StatusScenes.list("probes", probes), columns: 120).screen
        #expect(screen.contains("\n3 probes are up: portal, web, api"))
    }

    @Test func `the bytes of a kind of link are listed once, under a title of their own`() throws {
        let members = StatusScenes.members(
            StatusScenes.list(
                "uplinks",
                StatusScenes.uplink("wwan0", "wwan", "full", isUsed: true),
                StatusScenes.uplink("wwan1", "wwan", "full")
            ),
            #""schedule":{"bytes":{"wwan":4000000},"bytes_per_day":{"wwan":5242880}}"#
        )
        let lines = try Self.status(members, columns: 120).uplinks()
        #expect(lines.first?.hasSuffix("  BYTES TODAY") == true)
        #expect(lines.dropFirst().map { $0.contains("MiB") } == [true, false])
    }

    @Test func `an uplink with a budget of its own has its own bytes`() throws {
        let members = StatusScenes.members(
            StatusScenes.list(
                "uplinks",
                StatusScenes.uplink("eth0", "wired", "full", isUsed: true),
                StatusScenes.uplink("usb0", "wired", "full")
            ),
            #""schedule":{"bytes":{"usb0":4000000,"wired":7000000},"bytes_per_day":{"usb0":5242880}}"#
        )
        let lines = try Self.status(members, columns: 120).uplinks()
        #expect(lines.dropFirst().map { $0.contains("MiB") } == [false, true], "\(lines)")
    }

    @Test func `a transfer that exceeds the rest of a budget has both numbers`() throws {
        let left = "8000 bytes are left for today (UTC), and the transfer may need 900000"
        let probe = StatusScenes.probe("speed", "unknown", #""code":"budget_exhausted","detail":"\#(left)""#)
        let screen = try Self.status(#""probes":[\#(probe)]"#, columns: 240).screen
        #expect(screen.contains("has no room for 1 probe: not checked"))
        #expect(screen.contains("speed: \(left)"))
    }

    @Test(arguments: [
        (#""connectivity":"full""#, "32"), (#""connectivity":"portal""#, "33"), (#""connectivity":"partial""#, "33"),
        (#""connectivity":"local""#, "31"), (#""connectivity":"unknown""#, "32"),
    ])
    func `the first line has the colour of the state`(_ members: String, _ colour: String) throws {
        let screen = try Self.status(StatusScenes.state(StatusScenes.wlan0, members), hasColour: true).screen
        #expect(screen.hasPrefix("\u{1B}[\(colour)m"))
    }

    @Test func `nothing that a probe's target says reaches the terminal as a control character`() throws {
        let evil = #"a\u001b[31m\n\u202e\u00a0"#
        let status = try Self.status(
            #"""
            "state":{"via":"wifi","connectivity":"portal","connectivity_reason":"\#(evil)","connectivity_probe":"\#(evil)",\#
            "portal_url":"\#(evil)","connectivity_by_family":{"ipv4":"\#(evil)","ipv6":"\#(evil)"},"path":{"via":"wifi"}},\#
            "probes":[{"probe":"\#(evil)","interface":"\#(evil)","family":"\#(evil)","verdict":"\#(evil)","code":"\#(evil)",\#
            "detail":"\#(evil)","portal_url":"\#(evil)x","last":"2026-11-21T01:25:56Z","certificate":{"subject":"\#(evil)",\#
            "days_left":1,"threshold":"\#(evil)"}},{"probe":"up","verdict":"up","last_outcome":"failed","last_code":"\#(evil)","detail":"\#(evil)"}],\#
            "uplinks":[{"interface":"\#(evil)","kind":"\#(evil)","connectivity":"\#(evil)","reason":{"code":"\#(evil)",\#
            "probe":"\#(evil)","portal_url":"\#(evil)"}}],"configuration":{"files":["\#(evil)"]},\#
            "agent":{"version":"\#(evil)","host":"\#(evil)"},"default_routes":[{"family":"ipv4","destination":"::/0",\#
            "type":"unicast","table":254,"protocol":3,"metric":7,"nexthops":[{"interface":"\#(evil)","gateway":"\#(evil)"}]}],\#
            "recent":[{"type":"reachagent.probe.changed","subject":"\#(evil)","interface":"\#(evil)","family":"\#(evil)",\#
            "from":"\#(evil)","to":"\#(evil)","code":"\#(evil)"},{"type":"reachagent.certificate.expiring","to":"\#(evil)"}]
            """#
        )
        let texts = [status.screen, status.full, status.short] + StatusText.Area.allCases.map { status.detail(of: $0) }
        for text in texts {
            #expect(
                text.unicodeScalars.allSatisfy {
                    $0 == "\n" || ($0.value >= 0x20 && $0.value != 0x7F && $0 != "\u{202E}")
                }
            )
        }
        #expect(status.screen.contains(#"\u{1b}"#))
    }
}
