import EventEnvelope
import Foundation
import StateClient
import Testing

@testable import ReachAgent

/// What people read of a status with probes, whole.
@Suite struct StatusExamplesTests {
    private static let local: @Sendable (Timestamp) -> String = { moment in
        let ahead = Timestamp(microsecondsSince1970: moment.microsecondsSince1970 + 3_600_000_000).description
        return ahead.prefix(23) + "+01:00"
    }

    static func text(_ members: String, columns: Int = 80, hasUnicode: Bool = false) throws -> String {
        let json = "{\"time\":\"2026-11-21T01:26:00Z\",\(members)}"
        let style = TerminalStyle(hasColour: false, hasUnicode: hasUnicode, columns: columns)
        let reply = try StatusReply(parameters: Array(json.utf8))
        return StatusText(reply, style: style, now: Timestamp(microsecondsSince1970: 0), local: local).text
    }

    static let wifi = #""via":"wifi","interface":"wlan0","gateway":"192.0.2.1","source":"192.0.2.2""#
    static let path = #""path":{\#(wifi),"ipv4":{\#(wifi)},"ipv6":{"via":"none","reason":"no_route"}}"#

    static func state(_ members: String, since: String = "2026-11-21T01:14:00Z", minutes: Int = 12) -> String {
        #"""
        "state":{"via":"wifi",\#(members),\#(path)},"since":"\#(since)","for_ms":\#(minutes * 60_000),\#
        "via_since":"2026-11-20T21:26:00Z","via_for_ms":29700000,\#
        "connectivity_since":"\#(since)","connectivity_for_ms":\#(minutes * 60_000)
        """#
    }

    static func probe(_ name: String, _ verdict: String, _ members: String = "") -> String {
        #"""
        {"probe":"\#(name)","verdict":"\#(verdict)","since":"2026-11-21T01:14:00Z","for_ms":720000,"streak":9,\#
        "last":"2026-11-21T01:25:56Z","last_outcome":"\#(verdict == "up" ? "ok" : "failed")","latency_ms":23\#
        \#(members.isEmpty ? "" : ",")\#(members)}
        """#
    }

    static func hook(_ name: String, _ members: String, _ last: String) -> String {
        #"""
        {"hook":"\#(name)","kind":"command","runs":1200,"failed_runs":9,"superseded":2,"waiting":0,\#(members),\#
        "last":{\#(last),"ended":"2026-11-21T01:25:18Z","trigger":"reachability.changed","trigger_seq":41}}
        """#
    }

    static let scenes: [(name: String, members: String)] = [
        (
            "portal",
            state(
                #""connectivity":"portal","connectivity_reason":"portal_redirect","connectivity_probe":"open","#
                    + #""portal_url":"http://login.cafe.example/start?client=00-11-22-33-44-55&to=aHR0cDovL2Nvbm5lY3Rpdml0eQ""#
            )
                + #","probes":["#
                + [
                    probe(
                        "open",
                        "portal",
                        #""code":"portal_redirect","portal_url":"http://login.cafe.example/start?client=00-11-22-33-44-55&to=aHR0cDovL2Nvbm5lY3Rpdml0eQ""#
                    ),
                    probe(
                        "web",
                        "down",
                        #""code":"tls_hostname","detail":"names login.cafe.example; wanted web.example","family":"ipv4""#
                    ),
                    probe("open", "up", #""interface":"wwan0","family":"ipv4""#),
                ].joined(separator: ",")
                + #"],"uplinks":[{"interface":"wlan0","kind":"wifi","connectivity":"unknown","used":true},{"interface":"wwan0","kind":"wwan","connectivity":"full","used":false}]"#
        ),
        (
            "partial",
            state(
                #""connectivity":"partial","connectivity_reason":"tls_expired","connectivity_probe":"web","connectivity_by_family":{"ipv4":"partial","ipv6":"local"},"flapping":true"#
            )
                + #","probes":["#
                + [
                    probe(
                        "web",
                        "down",
                        #""code":"tls_expired","detail":"ended 2026-11-20T19:00:00Z","certificate":{"subject":"CN=web.example","not_after":"2026-11-20T19:00:00Z","days_left":-1},"pins":[{"pin":"sha256//AAAA","matched":false},{"pin":"sha256//BBBB","matched":true,"backup":true}]"#
                    ),
                    probe(
                        "mail",
                        "up",
                        #""certificate":{"subject":"CN=mail.example","not_after":"2026-12-01T00:00:00Z","days_left":9}"#
                    ),
                    probe(
                        "imap",
                        "up",
                        #""certificate":{"subject":"CN=mail.example","not_after":"2026-12-01T00:00:00Z","days_left":9},"flapping":true"#
                    ),
                    #"{"probe":"dns","verdict":"up","since":"2026-11-21T01:14:00Z","for_ms":720000,"streak":1,"last":"2026-11-21T01:25:58Z","last_outcome":"failed","last_code":"dns_query_timeout","detail":"192.0.2.53 did not answer","latency_ms":5000}"#,
                    #"{"probe":"new","verdict":"unknown","streak":0}"#,
                ].joined(separator: ",")
                + #"],"schedule":{"checks":1200,"skipped":1234,"refused":2,"longest_delay_ms":1200},"configuration":{"files":["/etc/reachagent/reachagent.toml","/etc/reachagent/conf.d/a.toml"],"loaded":"2026-11-20T21:26:00Z"}"#
                + #","recent":[{"time":"2026-11-21T01:13:00Z","type":"reachagent.certificate.expiring","subject":"web","to":"certificate CN=web.example ended 1 day ago, on 2026-11-20 [expired]; it is refused already","code":"certificate_expiring","detail":"expired"},{"time":"2026-11-21T01:14:00Z","type":"reachagent.probe.changed","subject":"web","family":"ipv6","from":"up","to":"down (tls_expired)","code":"tls_expired","detail":"ended 2026-11-20"},{"time":"2026-11-21T01:14:00Z","type":"reachagent.reachability.changed","subject":"default","from":"wifi wlan0 IPv4, full","to":"wifi wlan0 IPv4, partial (tls_expired web)","code":"tls_expired"}]"#
        ),
        (
            "full",
            state(#""connectivity":"full","connectivity_by_family":{"ipv4":"full","ipv6":"unknown"}"#, minutes: 240)
                + #","probes":["# + (1...30).map { probe("p\($0)", "up") }.joined(separator: ",")
                + #"],"probes_omitted":9970"#
        ),
        (
            "local",
            state(#""connectivity":"local","connectivity_reason":"dns_timeout","connectivity_probe":"web""#)
                + #","probes":["#
                + ((1...22).map {
                    probe("down\($0)", "down", #""code":"connect_timeout","detail":"192.0.2.\#($0):443""#)
                } + (1...10).map { probe("unknown\($0)", "unknown", #""code":"dns_timeout""#) }
                + (1...30).map { probe("p\($0)", "up") }).joined(separator: ",") + "]"
        ),
        (
            "hooks",
            state(#""connectivity":"full""#, minutes: 240)
                + #","hooks":["#
                + [
                    hook(
                        "vpn",
                        #""failures":4,"paused_ms":2000"#,
                        #""outcome":"exited","exit_status":3,"duration_ms":1234,"output":"wg: \u001b[2JUnable to access interface: No such device""#
                    ),
                    hook(
                        "20-led",
                        #""failures":1"#,
                        #""outcome":"refused","refusal":{"code":"hook_writable","path":"/etc/reachagent/hooks.d/20-led","evidence":"mode 0777","remedy":"chmod go-w /etc/reachagent/hooks.d/20-led"},"duration_ms":0"#
                    ),
                    hook(
                        "it's slow",
                        #""failures":3,"paused_ms":900"#,
                        #""outcome":"timed_out","duration_ms":30004,"output":"waiting""#
                    ),
                    hook(
                        "chat",
                        #""failures":9,"paused_ms":64000"#,
                        #""outcome":"undelivered","http_status":503,"code":"http_status","detail":"503; wanted 200-299","attempts":6,"duration_ms":63000"#
                    ),
                    hook(
                        "fork",
                        #""failures":3"#,
                        #""outcome":"not_started","reason":"Resource temporarily unavailable""#
                    ),
                    hook("10-log", #""failures":2,"running":1"#, #""outcome":"exited","exit_status":1"#),
                    #"{"hook":"new","kind":"folder","runs":0}"#, "7",
                ].joined(separator: ",") + "]"
        ),
        ("intercepted", state(#""connectivity":"partial","connectivity_reason":"tls_intercepted""#)),
    ]

    /// `REACHAGENT_WRITE_GOLDEN=1 swift test --filter StatusExamplesTests` writes the files anew; read them as a person would.
    @Test(arguments: scenes.indices)
    func `the whole text is that of its golden file`(_ index: Int) throws {
        let (name, members) = Self.scenes[index]
        let text = try Self.text(members) + "\n"
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "EventSchemaTests/Golden/status.\(name).txt")
        if ProcessInfo.processInfo.environment["REACHAGENT_WRITE_GOLDEN"] != nil {
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == text)
        // An address is never broken: it may be longer than a line.
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 || $0.contains("http://") })
    }

    @Test func `of ten thousand probes the failing ones are shown, and the others counted`() throws {
        let probes =
            (1...9_998).map { Self.probe("p\($0)", "up") } + [
                Self.probe("z", "down", #""code":"connect_refused""#),
                Self.probe("y", "unknown", #""code":"dns_timeout""#),
            ]
        let text = try Self.text(#""probes":[\#(probes.joined(separator: ","))]"#)
        let lines = text.split(separator: "\n").drop { !$0.hasPrefix("PROBES") }
        #expect(
            lines.prefix(8) == [
                "PROBES (9,998 of 10,000 up)",
                "  z             down for 12 min [connect_refused]",
                "  y             unknown for 12 min [dns_timeout]",
                "  p1            up, 23 ms, checked 4 s ago",
                "  p2            up, 23 ms, checked 4 s ago",
                "  p3            up, 23 ms, checked 4 s ago",
                "  ...           9,995 more, all up",
                "AGENT",
            ]
        )
    }

    @Test func `hooks that do well are one line`() throws {
        let hooks = (1...5).map { #"{"hook":"\#($0)","kind":"folder","runs":\#($0 == 1 ? 128 : 1),"failures":0}"# }
        let text = try Self.text(#""hooks":[\#(hooks.joined(separator: ","))]"#)
        #expect(text.contains("\n  hooks         5, 132 runs\n"))
        #expect(!text.contains("HOOKS"))
        let one = try Self.text(#""hooks":[{"hook":"a","runs":1,"failed_runs":1}]"#)
        #expect(one.contains("\n  hooks         1, 1 run, 1 of them failed\n"))
    }

    @Test func `of very many hooks that fail a few are shown, and hostile numbers do no harm`() throws {
        let hook = #"{"hook":"\u001b[2J","runs":18446744073709551615,"failed_runs":18446744073709551615,"failures":7}"#
        let hooks = repeatElement(hook, count: 100).joined(separator: ",")
        let text = try Self.text(#""hooks":[\#(hooks)],"hooks_omitted":9223372036854775807"#)
        #expect(text.contains("\n  ...           88 more that fail\n"))
        #expect(!text.contains("\u{1B}"))
    }

    @Test func `each code of several probes is told with what to do`() throws {
        for code in ["portal_suspected", "tls_intercepted", "https_unreachable", "quorum_missed"] {
            let text = try Self.text(Self.state(#""connectivity":"partial","connectivity_reason":"\#(code)""#))
            #expect(text.contains("[\(code)]"))
            #expect(text.contains("  what to do    "))
        }
    }

    @Test(arguments: [
        (#""connectivity":"full""#, "32"), (#""connectivity":"portal""#, "33"), (#""connectivity":"partial""#, "33"),
        (#""connectivity":"local""#, "31"), (#""connectivity":"unknown""#, "32"),
    ])
    func `the first line has the colour of how well it goes`(_ members: String, _ colour: String) throws {
        let json = "{\(Self.state(members))}"
        let style = TerminalStyle(hasColour: true, hasUnicode: false, columns: 80)
        let text = StatusText(
            try StatusReply(parameters: Array(json.utf8)),
            style: style,
            now: Timestamp(microsecondsSince1970: 0)
        ).text
        #expect(text.hasPrefix("\u{1B}[\(colour)m"))
    }

    @Test func `nothing that a probe's target says reaches the terminal as a control character`() throws {
        let evil = #"a\u001b[31m\n\u202e\u00a0"#
        let text = try Self.text(
            #"""
            "state":{"via":"wifi","connectivity":"portal","connectivity_reason":"\#(evil)","connectivity_probe":"\#(evil)",\#
            "portal_url":"\#(evil)","connectivity_by_family":{"ipv4":"\#(evil)","ipv6":"\#(evil)"},"path":{"via":"wifi"}},\#
            "probes":[{"probe":"\#(evil)","interface":"\#(evil)","family":"\#(evil)","verdict":"\#(evil)","code":"\#(evil)",\#
            "detail":"\#(evil)","portal_url":"\#(evil)x","last":"2026-11-21T01:25:56Z","certificate":{"subject":"\#(evil)",\#
            "days_left":1}},{"verdict":"up","last_outcome":"failed","last_code":"\#(evil)","detail":"\#(evil)"}],\#
            "uplinks":[{"interface":"\#(evil)","kind":"\#(evil)","connectivity":"\#(evil)","reason":{"code":"\#(evil)",\#
            "probe":"\#(evil)","portal_url":"\#(evil)"}}],"configuration":{"files":["\#(evil)"]},\#
            "recent":[{"type":"reachagent.probe.changed","subject":"\#(evil)","interface":"\#(evil)","family":"\#(evil)",\#
            "from":"\#(evil)","to":"\#(evil)","code":"\#(evil)"},{"type":"reachagent.certificate.expiring","to":"\#(evil)"}]
            """#
        )
        #expect(
            text.unicodeScalars.allSatisfy { $0 == "\n" || ($0.value >= 0x20 && $0.value != 0x7F && $0 != "\u{202E}") }
        )
        #expect(text.contains(#"\u{1b}"#))
    }
}
