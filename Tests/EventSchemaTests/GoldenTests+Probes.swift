import CheckResults
import Foundation
import NetlinkMonitor
import Reachability

import struct AgentEvents.ConfigurationReload
import struct AgentEvents.EventDraft
import struct AgentEvents.ProbeSummary
import struct AgentEvents.Timestamp
import struct AgentEvents.Transfer
import struct AgentEvents.TransferSketches

@testable import ReachAgent

/// The events about probes, certificates, suspends and reloads.
extension GoldenTests {
    /// An hour of checks over two phases.
    static let summary = {
        var summary = ProbeSummary(
            point: .init(probe: "web", interface: "wlan0", family: "ipv4"),
            from: Timestamp(microsecondsSince1970: 1_795_240_812_000_000),
            to: time,
            succeeded: 57
        )
        summary.failed.add("timeout", 2)
        summary.failed.add("connect_refused")
        summary.notChecked.add("resolver_busy")
        for check in 0..<57 as Range<Int64> {
            summary.latency.add(microseconds: 20_000 + 37 * check * check)
            summary.phases.add(microseconds: 5000 + 11 * check, to: "connect")
            summary.phases.add(microseconds: 15_000 + 30 * check * check, to: "tls")
        }
        return summary
    }()

    /// An hour with two transfers, the first of which was too slow.
    static let transfers = {
        var summary = ProbeSummary(
            point: .init(probe: "speed", interface: "wwan0", family: "ipv4"),
            from: Timestamp(microsecondsSince1970: 1_795_240_812_000_000),
            to: time,
            succeeded: 2
        )
        var sketches = TransferSketches()
        for (rate, added) in [(38_214_999, 24_512), (94_000_000, 8100)] as [(Int64, Int64)] {
            let leg = Transfer.Leg(
                bytes: 5_000_000,
                wantedBytes: 5_000_000,
                durationMicroseconds: 1_214_000,
                goodput: .init(p50: rate, p95: rate, mean: rate, windows: 9, slowStartMicroseconds: 300_000),
                loaded: .init(addedMicroseconds: added, perMinute: 1311)
            )
            sketches.add(Transfer(download: leg))
        }
        sketches.goodBitsPerSecond = 100_000_000
        summary.transfer = sketches
        return summary
    }()

    static func point(_ probe: String, _ interface: String? = nil, _ families: AddressFamilies = .any) -> ProbePoint {
        ProbePoint(probe: probe, vantage: Vantage(interface: interface, families: families))
    }

    static func date(_ daysAhead: Double) -> Date {
        Date(timeIntervalSince1970: 1_795_244_400 + daysAhead * 86_400)
    }

    static let certificate = CertificateFacts(
        sha256: String(repeating: "a1", count: 32),
        subject: "CN=web.example",
        issuer: "CN=Example CA",
        notBefore: date(-89.5),
        notAfter: date(-0.5),
        isVerified: false
    )

    static let partial = ReachabilityState(
        ipv4: wifi,
        ipv6: noRoute,
        connectivity: .partial,
        familyConnectivity: FamilyConnectivity(ipv4: .partial),
        connectivityReason: ConnectivityReason(code: "tls_expired", probe: "web"),
        isFlapping: true
    )
    static let behindPortal = ReachabilityState(
        ipv4: wifi,
        ipv6: noRoute,
        connectivity: .portal,
        familyConnectivity: FamilyConnectivity(ipv4: .portal),
        connectivityReason: ConnectivityReason(
            code: "portal_redirect",
            probe: "portal",
            portalURL: "http://login.example/"
        )
    )
    static let full = ReachabilityState(
        ipv4: wifi,
        ipv6: noRoute,
        connectivity: .full,
        familyConnectivity: FamilyConnectivity(ipv4: .full)
    )

    static let probeFell = Change(
        from: ProbeState(.up),
        to: ProbeState(.down, code: .tlsExpired),
        cause: ChangeCause(kind: .probe, code: "tls_expired", detail: "ended 2026-11-20"),
        observed: observed
    )

    static let expiry = CertificateExpiry(
        probe: "web",
        certificate: certificate,
        position: 0,
        threshold: "expired",
        percentLeft: 0,
        daysLeft: -1,
        observed: observed
    )

    static func records(at moment: ObservedTime, since: ObservedTime) -> [ProbeRecord] {
        func sample(
            _ point: ProbePoint,
            _ outcome: ProbeSample.Outcome,
            _ code: FindingCode? = nil,
            detail: String? = nil,
            phase: Phase? = nil,
            peer: String? = nil,
            certificates: [CertificateFacts] = [],
            pins: PinAudit? = nil
        ) -> ProbeSample {
            ProbeSample(
                point: point,
                outcome: outcome,
                code: code,
                detail: detail,
                phase: phase,
                peer: peer,
                latency: .microseconds(48_700),
                certificates: certificates,
                pins: pins,
                observed: moment
            )
        }
        let (dns, mail) = (point("dns"), point("mail", nil, .ipv6))
        let (portal, web) = (point("portal", "wwan0"), point("web", nil, .ipv4))
        var intermediate = certificate
        (intermediate.subject, intermediate.notAfter) = ("CN=Example CA", date(900))
        let pins = PinAudit(entries: [
            .init(pin: "sha256//AAAA", isMatched: false, isBackup: false),
            .init(pin: "sha256//BBBB", isMatched: true, isBackup: true),
        ])
        return [
            ProbeRecord(
                point: mail,
                state: ProbeState(.up, isFlapping: true),
                since: since,
                last: sample(mail, .failed, .connectTimeout, detail: "[2001:db8::25]:25"),
                streak: 1
            ),
            ProbeRecord(
                point: web,
                state: ProbeState(.down, code: .tlsExpired),
                since: since,
                last: sample(
                    web,
                    .failed,
                    .tlsExpired,
                    detail: "ended 2026-11-20",
                    phase: .tls,
                    peer: "192.0.2.80",
                    certificates: [certificate, intermediate],
                    pins: pins
                ),
                streak: 3
            ),
            ProbeRecord(
                point: portal,
                state: ProbeState(.portal, code: .portalRedirect, portalURL: "http://login.example/"),
                since: since,
                last: sample(portal, .failed, .portalRedirect),
                streak: 2
            ),
            ProbeRecord(point: dns, state: .unknown, isStale: true),
        ]
    }

    static let uplinks = [
        Uplink(
            interface: PathInterface(index: 3, name: "wlan0", kind: .wifi),
            connectivity: .partial,
            reason: ConnectivityReason(code: "tls_expired", probe: "web"),
            isUsed: true
        ),
        Uplink(
            interface: PathInterface(index: 4, name: "wwan0", kind: .wwan, kindIsGuess: true),
            connectivity: .portal,
            reason: ConnectivityReason(
                code: "portal_redirect",
                probe: "portal",
                portalURL: "http://login.example/"
            ),
            isUsed: false
        ),
    ]

    static let reload = ConfigurationReload(
        files: ["/etc/reachagent/reachagent.toml"],
        added: ["probe.dns"],
        removed: [],
        changed: ["probe.web", "settle"],
        needsRestart: ["agent"]
    )

    private static let completed: CompletedCheck = {
        let due = ContinuousClock.now
        let report = CheckReport(
            target: "https://web.example/",
            verdict: .failed(.connectTimeout, .connect),
            findings: [],
            hops: [],
            started: date(0),
            duration: .milliseconds(5000)
        )
        return CompletedCheck(
            point: point("web", "wwan0", .ipv4),
            report: report,
            due: due,
            started: due.advanced(by: .milliseconds(12))
        )
    }()

    static let probeDrafts: [(name: String, draft: EventDraft)] = [
        ("probe.changed", transition(.probe(point("web", nil, .ipv4), probeFell))),
        (
            "probe.changed.portal",
            transition(
                .probe(
                    point("portal", "wwan0"),
                    Change(
                        from: ProbeState(.unknown),
                        to: ProbeState(.portal, code: .portalRedirect, portalURL: "http://login.example/"),
                        cause: ChangeCause(kind: .probe, code: "portal_redirect"),
                        observed: observed
                    )
                )
            )
        ),
        (
            "probe.changed.flapping",
            transition(
                .probe(
                    point("web"),
                    Change(
                        from: ProbeState(.down, code: .connectTimeout),
                        to: ProbeState(.down, code: .connectTimeout, isFlapping: true),
                        cause: ChangeCause(kind: .flapping, code: "flapping_started", detail: "34 % of 21 checks"),
                        observed: observed
                    )
                )
            )
        ),
        (
            "uplink.changed",
            transition(
                .uplink(
                    Change(
                        from: Uplink(
                            interface: PathInterface(index: 4, name: "wwan0", kind: .wwan),
                            connectivity: .full,
                            isUsed: false
                        ),
                        to: Uplink(
                            interface: PathInterface(index: 4, name: "wwan0", kind: .wwan),
                            connectivity: .none,
                            reason: ConnectivityReason(code: "link_down"),
                            isUsed: false
                        ),
                        cause: ChangeCause(kind: .link, code: "link_down", interface: "wwan0"),
                        observed: observed,
                        settled: .seconds(1)
                    )
                )
            )
        ),
        (
            "uplink.changed.bound",
            transition(
                .uplink(
                    Change(
                        from: Uplink(
                            interface: eth0,
                            connectivity: .full,
                            isUsed: false,
                            isBoundOnly: true
                        ),
                        to: Uplink(
                            interface: eth0,
                            connectivity: .none,
                            reason: ConnectivityReason(code: "no_route", probe: "web"),
                            isUsed: false,
                            isBoundOnly: true
                        ),
                        cause: ChangeCause(kind: .probe, code: "no_route", interface: "eth0"),
                        observed: observed,
                        settled: .seconds(1)
                    )
                )
            )
        ),
        ("certificate.expiring", transition(.certificate(expiry))),
        ("probe.summary", EventDraft(summary)),
        ("probe.summary.transfer", EventDraft(transfers)),
        ("suspend.resumed", transition(.resumed(after: .milliseconds(28_985_250), observed: observed))),
        ("config.reloaded", EventDraft(reload)),
        ("probe.completed", EventDraft(completed, cadence: .down(attempt: 2))),
        (
            "probe.progress",
            EventDraft(
                TransferProgress(
                    phase: .download,
                    bytes: 3_145_728,
                    totalBytes: 5_000_000,
                    bitsPerSecond: 38_214_999.7,
                    addedLatency: .microseconds(24_512),
                    elapsed: .milliseconds(1800)
                ),
                of: point("speed", "wwan0", .ipv4)
            )
        ),
        (
            "probe.progress.started",
            EventDraft(TransferProgress(phase: .started), of: point("speed"))
        ),
        (
            "reachability.changed.portal",
            transition(
                .reachability(
                    Change(
                        from: full,
                        to: behindPortal,
                        cause: ChangeCause(kind: .probe, code: "portal_redirect"),
                        observed: observed,
                        settled: .milliseconds(1000)
                    )
                )
            )
        ),
        (
            "network.snapshot.probes",
            .networkSnapshot(
                NetworkSnapshot(),
                state: partial,
                targets: [],
                probes: records(at: observed, since: observed),
                uplinks: uplinks
            )
        ),
    ]
}
