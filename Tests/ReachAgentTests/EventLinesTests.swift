import Foundation
import NetlinkMonitor
import Probes
import Reachability
import Testing

import struct AgentEvents.ConfigurationReload
import struct AgentEvents.Event
import struct AgentEvents.EventDraft
import struct AgentEvents.EventOrigin
import struct AgentEvents.EventSummary
import struct AgentEvents.HookCompletion
import struct AgentEvents.HookEnding
import struct AgentEvents.Timestamp

@testable import Hooks
@testable import ReachAgent

@Suite struct EventLinesTests {
    private static let time = Timestamp(microsecondsSince1970: 1_795_244_400_123_456)

    private static let unicode = TerminalStyle(hasColour: false, hasUnicode: true, columns: 80)

    private static func lines(
        _ columns: Int? = nil,
        style: TerminalStyle = unicode,
        _ body: (inout EventLines) -> [String]
    ) -> [String] {
        var lines = EventLines(style: style, today: time, width: { columns }, local: { $0.description })
        return body(&lines)
    }

    private func line(_ json: String) -> String {
        Self.lines { $0.lines(of: Array(json.utf8)) }.joined(separator: "\n")
    }

    private func event(_ type: String, _ data: String, subject: String = "default") -> String {
        line(
            """
            {"id":"a-1","source":"/reachagent/h","type":"reachagent.\(type)","subject":"\(subject)","time":"2026-11-21T07:00:00.123456Z","seq":1,\
            "data":\(data)}
            """
        )
    }

    private static let observed = ObservedTime(instant: .now, microsecondsSince1970: 1_795_244_400_000_001)

    private static func draft(_ transition: Transition) -> EventDraft { EventDraft(transition) }

    private static func reload(_ removed: [String]) -> ConfigurationReload {
        ConfigurationReload(files: ["f"], added: [], removed: removed, changed: [], needsRestart: [])
    }

    private static func probe(
        _ from: ProbeState,
        _ to: ProbeState,
        _ vantage: Vantage = .default,
        code: String? = nil,
        detail: String? = nil
    ) -> EventDraft {
        let cause = ChangeCause(kind: .probe, code: code ?? to.code?.rawValue ?? "recovered", detail: detail)
        return draft(
            .probe(
                ProbePoint(probe: "web", vantage: vantage),
                Change(from: from, to: to, cause: cause, observed: observed)
            )
        )
    }

    private static func certificate(daysLeft: Int, position: Int, isVerified: Bool = true) -> EventDraft {
        let certificate = CertificateFacts(
            sha256: "a1",
            subject: position == 0 ? "CN=web.example\u{1B}[2J" : "",
            issuer: "CN=Example CA",
            notBefore: Date(timeIntervalSince1970: 1_790_000_000),
            notAfter: Date(timeIntervalSince1970: 1_795_244_400 + Double(daysLeft) * 86_400),
            isVerified: isVerified
        )
        let expiry = CertificateExpiry(
            probe: "web",
            certificate: certificate,
            position: position,
            threshold: "30%",
            percentLeft: 29,
            daysLeft: daysLeft,
            observed: observed
        )
        return draft(.certificate(expiry))
    }

    private static func reachability(
        _ connectivity: Connectivity,
        _ reason: ConnectivityReason? = nil,
        isFlapping: Bool = false,
        alternative: String? = nil
    ) -> EventDraft {
        let wlan0 = PathInterface(index: 3, name: "wlan0", kind: .wifi)
        let wifi = Path(via: connectivity == .none ? .none : .wifi, interface: wlan0)
        let state = ReachabilityState(
            ipv4: wifi,
            ipv6: wifi,
            connectivity: connectivity,
            connectivityReason: reason,
            isFlapping: isFlapping,
            alternative: alternative.map { name in
                PathAlternative(preferred: wlan0, interface: PathInterface(index: 4, name: name, kind: .wwan))
            }
        )
        return draft(.reachability(Change(from: .unknown, to: state, cause: .start, observed: observed)))
    }

    private static func hook(
        _ outcome: HookRunEnd.Outcome,
        _ kind: HookKind = .command,
        output: String = ""
    ) -> EventDraft {
        EventDraft(
            HookCompletion(
                hook: "vpn",
                kind: kind.rawValue,
                trigger: "target.changed",
                triggerSequence: .max,
                superseded: 2,
                ending: HookEnding(
                    HookRunEnd(
                        outcome: outcome,
                        duration: .milliseconds(840),
                        attempts: 3,
                        httpStatus: kind == .webhook ? 429 : nil
                    ),
                    of: kind
                ),
                delayMilliseconds: 0,
                output: output.isEmpty ? nil : output,
                outputBytes: output.isEmpty ? nil : output.utf8.count,
                failures: 3,
                pausedMilliseconds: 999
            )
        )
    }

    @Test(arguments: [
        EventDraft.agentStarted(
            version: "0.1.0",
            origin: EventOrigin(streamID: "x", host: "h"),
            settle: .standard,
            targets: []
        ),
        EventDraft.agentStopping(reason: "SIGTERM"), EventDraft.subscriberLagged(lastSequence: 41),
        draft(.resumed(after: .milliseconds(28_985_250), observed: observed)),
        draft(.resumed(after: .milliseconds(250), observed: observed)),
        EventDraft(
            ConfigurationReload(
                files: ["f"],
                added: ["probe.a"],
                removed: [],
                changed: ["settle", "probe.b"],
                needsRestart: ["agent"]
            )
        ),
        EventDraft(reload((1...9).map { "probe.p\($0)" })),
        EventDraft(reload([])),
        probe(ProbeState(.up), ProbeState(.down, code: .connectTimeout), detail: "192.0.2.1:443"),
        probe(ProbeState(.unknown), ProbeState(.up), Vantage(interface: "wwan0", families: .ipv6)),
        probe(
            ProbeState(.up),
            ProbeState(.portal, code: .portalRedirect, portalURL: "http://login.example/\u{1B}"),
            Vantage(families: .ipv4)
        ),
        probe(ProbeState(.up), ProbeState(.up, isFlapping: true), code: "flapping_started"),
        certificate(daysLeft: -2, position: 0), certificate(daysLeft: 0, position: 1),
        certificate(daysLeft: 1, position: 0, isVerified: false), certificate(daysLeft: 12, position: 0),
        reachability(.partial, ConnectivityReason(code: "tls_expired", probe: "web"), isFlapping: true),
        reachability(.portal, ConnectivityReason(code: "portal_redirect", portalURL: "http://login.example/")),
        reachability(.full), reachability(.unknown), reachability(.none, isFlapping: true, alternative: "wwan0"),
        reachability(.local, ConnectivityReason(code: "connect_timeout", probe: "web"), alternative: "wwan0"),
        EventDraft(
            CompletedCheck(
                point: ProbePoint(probe: "web", vantage: Vantage(interface: "wwan0")),
                report: CheckReport(
                    target: "https://web.example/",
                    verdict: .failed(.connectTimeout, .connect),
                    findings: [],
                    hops: [],
                    started: Date(timeIntervalSince1970: 0),
                    duration: .milliseconds(5000)
                ),
                due: .now,
                started: .now
            ),
            cadence: .doubtful
        ),
        hook(.succeeded), hook(.exited(status: 255), output: "a\n\u{1B}[31mb\n"), hook(.signaled(SIGKILL)),
        hook(.signaled(40)), hook(.timedOut), hook(.stopped), hook(.notStarted(reason: "no memory")),
        hook(.refused(HookRefusal(.owner, path: "/x", evidence: "uid 7", remedy: "chown root:root /x"))),
        hook(.succeeded, .webhook), hook(.undelivered(code: "connect_timeout", detail: "192.0.2.1:443"), .webhook),
    ])
    func `the line is that of the event itself`(draft: EventDraft) {
        let origin = EventOrigin(streamID: "x", host: "h")
        let event = Event(draft, from: origin, at: Timestamp(microsecondsSince1970: 1_795_244_400_123_456), number: 7)
        #expect(Self.lines { $0.lines(of: event.line) } == Self.lines { $0.lines(of: event) })
    }

    @Test(arguments: [
        (
            #"{"from":{"via":"unknown","path":{"via":"unknown"}},"to":{"via":"wifi","path":{"via":"wifi","interface":"wlan0","ipv4":{"via":"wifi"},"ipv6":{"via":"none"}}},"cause":{"kind":"start","code":"initial"},"observed":"2026-11-21T07:00:00Z"}"#,
            "wifi wlan0 IPv4"
        ),
        (
            #"{"from":{"via":"wifi","path":{"via":"wifi","interface":"wlan0","ipv4":{"via":"wifi"},"ipv6":{"via":"wifi"}}},"to":{"via":"none","reason":"link_down","path":{"via":"none","reason":"link_down","interface":"wlan0"}},"cause":{"kind":"link","code":"link_down","detail":"carrier lost"},"observed":"2026-11-21T07:00:00Z"}"#,
            "wifi wlan0 → none (link_down); carrier lost"
        ),
        (
            #"{"from":{"via":"none","path":{"via":"none"}},"to":{"via":"wwan","path":{"via":"wwan","interface":"wg0","underlay":{"interface":"wwan0"}}},"cause":{"kind":"route","code":"route_added"},"observed":"2026-11-21T07:00:00Z"}"#,
            "none → wwan wg0 over wwan0 [route_added]"
        ),
        (
            #"{"from":{"via":"none"},"to":{"via":"wired"},"cause":{"kind":"link","code":"link_up"},"observed":"2026-11-21T07:00:00Z"}"#,
            "none → wired [link_up]"
        ),
    ])
    func `a change is summarized in a few words`(data: String, summary: String) {
        #expect(event("reachability.changed", data) == "07:00:00  reachability    \(summary)  #1")
    }

    @Test func `each golden event is shown on one line`() throws {
        let directory = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "EventSchemaTests/Golden")
        let names = [
            "path.changed", "target.changed", "netlink.overrun", "netlink.resynced", "probe.changed",
            "probe.changed.portal", "probe.changed.flapping", "certificate.expiring", "suspend.resumed",
            "config.reloaded", "probe.completed", "probe.progress", "probe.summary.transfer",
            "reachability.changed.portal", "hook.completed.exited",
            "hook.completed.refused", "hook.completed.undelivered",
        ]
        let told = try names.flatMap { name in
            let json = try Array(Data(contentsOf: directory.appending(path: "\(name).json")))
            return Self.lines { $0.lines(of: json) }.filter { !$0.hasPrefix("──") }.map { String($0.dropFirst(10)) }
        }
        #expect(
            told == [
                "path            wifi wlan0 IPv4  #42",
                "target office   wwan wg0 over wwan0 [rule_changed]  #42",
                "netlink         overrun; the buffer was full  #42",
                "netlink         resynchronized; 1 correction  #42",
                "probe web       up → down (tls_expired) over IPv4; ended 2026-11-20  #42",
                "probe portal    unknown → portal (portal_redirect) over wwan0; log in at http://login.example/  #42",
                "probe web       down (connect_timeout), flapping; 34 % of 21 checks  #42",
                "probe web       certificate expired 1 day ago, on 2026-11-20; CN=web.example; not trusted already  #42",
                "machine         resumed after 8 h 3 min of suspend  #42",
                "config          reloaded; 1 added (probe.dns), 2 changed (probe.web, settle); takes effect on the next "
                    + "start: agent  #42",
                "check web       failed (connect_timeout) in 5000 ms over wwan0 IPv4",
                "check speed     download 62 %, 38.2 Mbit/s, +24.5 ms over wwan0 IPv4",
                "probe speed     wwan0 IPv4: 2 ok, 39.7 Mbit/s down, +8.2 ms under load  #42",
                "reachability    full → portal (portal_redirect portal) over wifi wlan0; log in at http://login.example/"
                    + "  #42",
                "hook vpn        failed: exit status 3 after 1.2 s; for reachability.changed #41, 4 times in a row, "
                    + "12 earlier events skipped, retries in 2 s; \\u{7}Unable to access interface: \u{FFFD}\\u{202e}  #42",
                "hook 10-log     refused: /etc/reachagent/hooks.d/10-log: mode 0777: its group and everybody can write "
                    + "to it [hook_writable]; for reachability.changed #41, 2 times in a row; "
                    + "chmod go-w /etc/reachagent/hooks.d/10-log  #42",
                "hook chat       failed: HTTP 503 [http_status] after 6 attempts, 1 min 3 s; 503; wanted 200-299; "
                    + "for probe.changed #41  #42",
            ]
        )
    }

    @Test(arguments: [40, 80, 120])
    func `a screen of many situations is unchanged since its review`(columns: Int) throws {
        let directory = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden/Events")
        let journal = try Data(contentsOf: directory.appending(path: "events.jsonl"))
        var lines = EventLines(style: Self.unicode, width: { columns }, local: { $0.description })
        let shown = journal.split(separator: UInt8(ascii: "\n")).flatMap { line in
            line.firstRange(of: Data("path.changed".utf8)) == nil ? lines.lines(of: Array(line)) : []
        }
        let golden = try String(contentsOf: directory.appending(path: "\(columns).txt"), encoding: .utf8)
        #expect(shown == golden.split(separator: "\n").map(String.init))
        #expect(shown.allSatisfy { $0.displayWidth <= columns })
    }

    @Test func `unknown content is shown by its plain members`() {
        let text = event(
            "probe.changed",
            #"{"b":true,"a":-1.5,"n":18446744073709551615,"o":{"x":1},"l":[1],"z":null,"s":"x y"}"#
        )
        #expect(text == "07:00:00  probe.changed   a=-1.5, b=true, n=18446744073709551615, s=x y  #1")
    }

    @Test(arguments: [20, 23, 40, 59, 60, 80, 120])
    func `no line is longer than the terminal, and no word is broken that has room`(columns: Int) {
        let summary = EventSummary(
            subject: "probe web",
            headline: "up → down (connect_refused) over wwan0 IPv6",
            detail: "192.0.2.1:443 refused the connection, " + String(repeating: "x", count: 130)
        )
        let lines = Self.lines(columns) { $0.lines(summary, at: Self.time) }
        #expect(lines.allSatisfy { $0.displayWidth <= columns })
        let words = Set(lines.flatMap { $0.split(separator: " ").map(String.init) })
        let expected = ["probe", "web", "up", "→", "down", "over", "wwan0", "IPv6;", "refused", "the", "connection,"]
        for word in expected { #expect(words.contains(word)) }
        #expect(lines.joined().filter { $0 == "x" }.count == 130)
    }

    @Test func `the date is shown where it changes`() {
        let later = Timestamp(microsecondsSince1970: Self.time.microsecondsSince1970 + 86_400_000_000)
        let summary = EventSummary(subject: "agent", headline: "started")
        let lines = Self.lines { lines in
            lines.lines(summary, at: Self.time) + lines.lines(summary, at: later) + lines.lines(summary, at: later)
        }
        let line = "07:00:00  agent           started"
        #expect(lines == [line, "── 2026-11-22 Z ──", line, line])
    }

    @Test func `without UTF-8 every line is ASCII, and fits all the same`() {
        let summary = EventSummary(
            subject: "uplink wlan0",
            // With a single character for the arrow it ended in the last column.
            headline: "full → partial (http_status apis)",
            detail: "kind: wifi → wired"
        )
        let later = Timestamp(microsecondsSince1970: Self.time.microsecondsSince1970 + 86_400_000_000)
        let lines = Self.lines(60, style: .plain) { lines in
            lines.lines(summary, at: later) + [lines.remark("events #5 to #6 are missing")]
        }
        #expect(
            lines == [
                "-- 2026-11-22 Z --", "07:00:00  uplink wlan0    full -> partial (http_status",
                "                          apis); kind: wifi -> wired", "- events #5 to #6 are missing -",
            ]
        )
    }

    @Test func `a loss is red, a recovery green, and a warning yellow`() {
        let style = TerminalStyle(hasColour: true, hasUnicode: true, columns: 80)
        var lines = EventLines(style: style, today: Self.time, width: { 80 }, local: { $0.description })
        for (tone, colour) in [(EventSummary.Tone.loss, "31"), (.recovery, "32"), (.trouble, "33")] {
            let line = lines.lines(EventSummary(subject: "s", headline: "a → b", tone: tone), at: Self.time).first
            #expect(
                line?.hasSuffix("\u{1B}[\(colour)ma\u{1B}[0m \u{1B}[\(colour)m→\u{1B}[0m \u{1B}[\(colour)mb\u{1B}[0m")
                    == true
            )
        }
    }

    @Test(arguments: [
        "", "x", "{", "[]", "null", "{}", "{\"type\":1}", "\u{1B}[31m",
        "{\"type\":\"t\",\"time\":\"never\",\"data\":[[[]]]}",
        "{\"type\":\"\u{1B}]0;x\u{7}\",\"subject\":\"\\u202e\\u0000\",\"data\":{\"a\":\"\\u001b[2J\\n\"}}",
        "{\"type\":\"reachagent.agent.stopping\",\"data\":{\"reason\":\"\\u001b[2J\\n\\u2028\"}}",
        "{\"type\":\"t\",\"data\":" + String(repeating: "[", count: 5000) + "}",
    ])
    func `anything has a form that is safe to show`(json: String) {
        let text = line(json)
        let isSafe = text.unicodeScalars.allSatisfy { scalar in
            ![.control, .format, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
        }
        #expect(isSafe)
        #expect(text.count < 3000)
    }

    @Test func `any bytes can be shown`() {
        #expect(Self.lines { $0.lines(of: [0xFF, 0xC0, 0x00]) }.first?.contains("\\u{0}") == true)
    }
}
