import EventEnvelope
import EventSchema
import Foundation
import Hooks
import NetlinkMonitor
import Probes
import Reachability
import Testing

@testable import ReachAgent

@Suite struct EventTextTests {
    private let clock = String(Timestamp(microsecondsSince1970: 1_795_244_400_123_456).localDescription.dropFirst(11))

    private func line(_ json: String) -> String { EventText.line(of: Array(json.utf8)) }

    private func event(_ type: String, _ data: String, subject: String = "default") -> String {
        line(
            """
            {"type":"reachagent.\(type)","subject":"\(subject)","time":"2026-11-21T07:00:00.123456Z","seq":1,\
            "data":\(data)}
            """
        )
    }

    private static let observed = ObservedTime(instant: .now, microsecondsSince1970: 1_795_244_400_000_001)

    private static func draft(_ transition: Transition) -> EventDraft {
        var texts = StateTexts()
        return EventDraft(transition, texts: &texts)
    }

    private static func probe(
        _ from: ProbeStanding,
        _ to: ProbeStanding,
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
        isFlapping: Bool = false
    ) -> EventDraft {
        let wifi = Path(via: .wifi, interface: PathInterface(index: 3, name: "wlan0", kind: .wifi))
        let state = ReachabilityState(
            ipv4: wifi,
            ipv6: wifi,
            connectivity: connectivity,
            connectivityReason: reason,
            isFlapping: isFlapping
        )
        return draft(.reachability(Change(from: .unknown, to: state, cause: .start, observed: observed)))
    }

    private static func hook(
        _ outcome: HookCompletion.Outcome,
        _ kind: HookCompletion.Kind = .command,
        output: String = ""
    ) -> EventDraft {
        EventDraft(
            HookCompletion(
                hook: "vpn",
                kind: kind,
                trigger: .targetChanged,
                sequence: .max,
                superseded: 2,
                outcome: outcome,
                duration: .milliseconds(840),
                attempts: 3,
                httpStatus: kind == .webhook ? 429 : nil,
                output: HookOutput(text: output, bytes: output.utf8.count),
                failures: 3,
                pause: .milliseconds(999)
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
        EventDraft(resumedAfter: .milliseconds(28_985_250), observed: observed),
        EventDraft(resumedAfter: .milliseconds(250), observed: observed),
        EventDraft(
            ConfigurationReload(
                files: ["f"],
                added: ["probe.a"],
                changed: ["settle", "probe.b"],
                needsRestart: ["agent"]
            )
        ),
        EventDraft(ConfigurationReload(files: ["f"], removed: (1...9).map { "probe.p\($0)" })),
        EventDraft(ConfigurationReload(files: ["f"])),
        probe(ProbeStanding(.up), ProbeStanding(.down, code: .connectTimeout), detail: "192.0.2.1:443"),
        probe(ProbeStanding(.unknown), ProbeStanding(.up), Vantage(interface: "wwan0", families: .ipv6)),
        probe(
            ProbeStanding(.up),
            ProbeStanding(.portal, code: .portalRedirect, portalURL: "http://login.example/\u{1B}"),
            Vantage(families: .ipv4)
        ),
        probe(ProbeStanding(.up), ProbeStanding(.up, isFlapping: true), code: "flapping_started"),
        certificate(daysLeft: -2, position: 0), certificate(daysLeft: 0, position: 1),
        certificate(daysLeft: 1, position: 0, isVerified: false), certificate(daysLeft: 12, position: 0),
        reachability(.partial, ConnectivityReason(code: "tls_expired", probe: "web"), isFlapping: true),
        reachability(.portal, ConnectivityReason(code: "portal_redirect", portalURL: "http://login.example/")),
        reachability(.full), reachability(.unknown),
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
        #expect(EventText.line(of: event.line) == HumanLine.text(event))
    }

    @Test(arguments: [
        (
            #"{"from":{"via":"unknown","path":{"via":"unknown"}},"to":{"via":"wifi","path":{"via":"wifi","interface":"wlan0","ipv4":{"via":"wifi"},"ipv6":{"via":"none"}}},"cause":{"code":"initial"}}"#,
            "unknown → wifi wlan0 IPv4 [initial]"
        ),
        (
            #"{"from":{"via":"wifi","path":{"via":"wifi","interface":"wlan0","ipv4":{"via":"wifi"},"ipv6":{"via":"wifi"}}},"to":{"via":"none","reason":"link_down","path":{"via":"none","reason":"link_down","interface":"wlan0"}},"cause":{"code":"link_down","detail":"carrier lost"}}"#,
            "wifi wlan0 IPv4+IPv6 → none (link_down wlan0) [link_down]; carrier lost"
        ),
        (
            #"{"from":{"via":"none","path":{"via":"none"}},"to":{"via":"wwan","path":{"via":"wwan","interface":"wg0","underlay":{"interface":"wwan0"}}}}"#,
            "none → wwan wg0 over wwan0"
        ),
        (#"{"from":{"via":"none"},"to":{"via":"wired"}}"#, "none → wired"),
        (#"{"from":7,"to":[],"cause":"x"}"#, "cause=x, from=7"),
    ])
    func `a change is told in a few words`(data: String, summary: String) {
        #expect(event("reachability.changed", data) == "\(clock)  reachability.changed  default   \(summary)")
    }

    @Test func `the golden events are told as they were when they were made`() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "EventSchemaTests/Golden")
        let summaries = try [
            "path.changed", "target.changed", "netlink.overrun", "netlink.resynced", "network.snapshot",
            "probe.changed", "probe.changed.portal", "probe.changed.flapping", "certificate.expiring",
            "suspend.resumed", "config.reloaded", "probe.completed", "reachability.changed.portal",
            "network.snapshot.probes", "hook.completed.exited", "hook.completed.refused",
            "hook.completed.undelivered",
        ]
        .map { name in
            let json = try Array(Data(contentsOf: folder.appending(path: "\(name).json")))
            return String(EventText.line(of: json).dropFirst(clock.count + 2))
        }
        #expect(
            summaries == [
                "path.changed          default   unknown → wifi wlan0 IPv4 [initial]",
                "target.changed        office    unknown → wwan wg0 over wwan0 [rule_changed]",
                "netlink.overrun       agent     the buffer was full",
                "netlink.resynced      agent     the kernel's state was read again; 1 corrections",
                "network.snapshot      default   wifi wlan0 IPv4",
                "probe.changed         web       IPv4: up → down (tls_expired); ended 2026-11-20",
                "probe.changed         portal    wwan0: unknown → portal (portal_redirect), log in at http://login.example/",
                "probe.changed         web       down (connect_timeout) → down (connect_timeout), flapping "
                    + "[flapping_started]; 34 % of 21 checks",
                "certificate.expiring  web       certificate CN=web.example ended 1 day ago, on 2026-11-20 [expired]; "
                    + "it is refused already",
                "suspend.resumed       agent     the machine was suspended for 8 h 3 min",
                "config.reloaded       agent     configuration read again: 1 added (probe.dns), 2 changed (probe.web, "
                    + "settle); takes effect with the next start: agent",
                "probe.completed       web       wwan0 IPv4: failed (connect_timeout) in 5000 ms",
                "reachability.changed  default   wifi wlan0 IPv4, full → wifi wlan0 IPv4, portal (portal_redirect "
                    + "portal) [portal_redirect]",
                "network.snapshot      default   wifi wlan0 IPv4, partial (tls_expired web), flapping",
                "hook.completed        vpn       hook vpn failed: exit status 3 after 1.2 s [reachability.changed 41], "
                    + "12 events before it dropped, 4 times in a row, left alone for 2 s; "
                    + "\\u{7}Unable to access interface: \u{FFFD}\\u{202e}",
                "hook.completed        10-log    hook 10-log refused: /etc/reachagent/hooks.d/10-log: mode 0777: its "
                    + "group and everybody can write to it [hook_writable] [reachability.changed 41], 2 times in a row; "
                    + "chmod go-w /etc/reachagent/hooks.d/10-log",
                "hook.completed        chat      hook chat failed: HTTP 503 [http_status] after 6 attempts, 1 min 3 s; "
                    + "503; wanted 200-299 [probe.changed 41]",
            ]
        )
    }

    @Test func `an unknown type is told by its plain members`() {
        let text = event(
            "probe.changed",
            #"{"b":true,"a":-1.5,"n":18446744073709551615,"o":{"x":1},"l":[1],"z":null,"s":"x y"}"#
        )
        #expect(text == "\(clock)  probe.changed         default   a=-1.5, b=true, n=18446744073709551615, s=x y")
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

    @Test func `no bytes are refused`() { #expect(EventText.line(of: [0xFF, 0xC0, 0x00]).contains("\\u{0}")) }
}
