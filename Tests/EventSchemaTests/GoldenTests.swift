import CheckResults
import Foundation
import NetlinkMonitor
import Reachability
import Testing

import struct AgentEvents.ConfigurationRejection
import struct AgentEvents.Event
import struct AgentEvents.EventDraft
import struct AgentEvents.EventOrigin
import struct AgentEvents.EventsOmitted
import struct AgentEvents.JournalDegraded
import struct AgentEvents.SettledStates
import struct AgentEvents.SinkLoss
import struct AgentEvents.Timestamp

@testable import ReachAgent

/// The bytes of every event, frozen in `Golden/`.
///
/// A changed file is a changed wire format: members may be added, none may be renamed, moved or given another meaning.
/// `REACHAGENT_WRITE_GOLDEN=1 swift test --filter GoldenTests` writes the files anew; read the difference.
struct GoldenTests {
    static let time = Timestamp(microsecondsSince1970: 1_795_244_400_123_456)
    static let origin = EventOrigin(
        streamID: "6f1c0000000000000000000000000001",
        host: "edge-7",
        bootID: "0e2a3d0c-9a4b-4c7d-8f60-5b1c2d3e4f50"
    )
    static let observed = ObservedTime(instant: .now, microsecondsSince1970: 1_795_244_400_000_001)

    static func address(_ text: String) -> IPAddress { IPAddress(text) ?? .unspecified(.ipv4) }

    static let wifi = Path(
        via: .wifi,
        interface: PathInterface(index: 3, name: "wlan0", kind: .wifi),
        gateway: address("192.0.2.1"),
        source: address("192.0.2.2"),
        prefix: .everything(.ipv4),
        table: 254,
        metric: 600
    )
    static let tunnel = Path(
        via: .wwan,
        interface: PathInterface(index: 9, name: "wg0", kind: .tunnel),
        source: address("10.8.0.2"),
        prefix: .everything(.ipv4),
        table: 51820,
        metric: 0,
        underlay: PathUnderlay(
            interface: PathInterface(index: 4, name: "wwan0", kind: .wwan, kindIsGuess: true),
            evidence: .markExemption
        )
    )
    static let eth0 = PathInterface(index: 2, name: "eth0", kind: .wired)
    static let legs = ReachabilityState(
        ipv4: Path(
            via: .wifi,
            interface: PathInterface(index: 3, name: "wlan0", kind: .wifi),
            deadLegs: [PathBranch(interface: eth0.name, gateway: address("198.51.100.1"), reason: .linkDown)],
            unconnected: PathBranch(interface: nil, reason: .routeUnreachable)
        ),
        ipv6: noRoute
    )
    static let lost = Path(
        via: .none,
        interface: PathInterface(index: 3, name: "wlan0", kind: .wifi),
        reason: .linkDown
    )
    static let noRoute = Path(via: .none, reason: .noRoute)
    static let cause = ChangeCause(
        kind: .link,
        code: "link_down",
        interface: "wlan0",
        detail: "wlan0: \"no carrier\"\u{7}"
    )

    static let deadWithStandby = ReachabilityState(
        ipv4: lost,
        ipv6: noRoute,
        alternative: PathAlternative(
            preferred: PathInterface(index: 3, name: "wlan0", kind: .wifi),
            interface: PathInterface(index: 4, name: "wwan0", kind: .wwan)
        )
    )
    static let up = ReachabilityState(ipv4: wifi, ipv6: noRoute)
    static let down = ReachabilityState(ipv4: lost, ipv6: noRoute)
    static let office = Target(name: "office", address: address("203.0.113.7"))

    static func transition(_ transition: Transition) -> EventDraft { EventDraft(transition) }

    static let kernelDrafts: [(name: String, draft: EventDraft)] = [
        (
            "agent.started",
            .agentStarted(version: "0.1.0", origin: origin, settle: .standard, targets: [office])
        ),
        ("agent.stopping", .agentStopping(reason: "SIGTERM")),
        (
            "path.changed",
            transition(.path(Change(from: .unknown, to: up, cause: .start, observed: observed)))
        ),
        (
            "path.changed.legs",
            transition(.path(Change(from: up, to: legs, cause: cause, observed: observed)))
        ),
        (
            "reachability.changed",
            transition(
                .reachability(
                    Change(from: up, to: down, cause: cause, observed: observed, settled: .milliseconds(1000))
                )
            )
        ),
        (
            "reachability.changed.alternative",
            transition(
                .reachability(
                    Change(
                        from: up,
                        to: deadWithStandby,
                        cause: cause,
                        observed: observed,
                        settled: .milliseconds(1000)
                    )
                )
            )
        ),
        (
            "target.changed",
            transition(
                .target(
                    office,
                    Change(
                        from: TargetState(address: office.address, path: .unknown),
                        to: TargetState(address: office.address, path: tunnel),
                        cause: ChangeCause(kind: .rule, code: "rule_changed"),
                        observed: observed,
                        settled: .milliseconds(250)
                    )
                )
            )
        ),
        (
            "netlink.overrun",
            EventDraft(Overrun(code: .bufferFull, detail: "the buffer was full", dropped: 17, observed: observed))
        ),
        (
            "netlink.resynced",
            EventDraft(
                Resynchronization(
                    code: .bufferFull,
                    attempts: 2,
                    duration: .milliseconds(3),
                    corrections: [
                        NetworkChange(
                            code: .addressRemoved,
                            interfaceName: "wlan0",
                            family: .ipv4,
                            detail: "192.0.2.2/24"
                        )
                    ],
                    observed: observed
                )
            )
        ),
        (
            "agent.hello",
            .agentHello(version: "0.1.0", origin: origin, sequence: 41, oldestSequence: 7, processID: 812)
        ),
        (
            "journal.degraded",
            EventDraft(
                .journalDegraded,
                .journalDegraded(
                    JournalDegraded(
                        isDegraded: false,
                        code: "no_space",
                        detail: "cannot write /var/lib/reachagent/journal: No space left on device",
                        missingFirstSequence: 38,
                        missingLastSequence: 41
                    )
                )
            )
        ),
        (
            "journal.degraded.settled",
            EventDraft(
                JournalDegraded(
                    isDegraded: false,
                    code: "journal_resumed",
                    detail: "events are recorded again",
                    missingFirstSequence: 38,
                    missingLastSequence: 41,
                    settled: SettledStates(
                        state: up.published,
                        targets: [
                            .init(
                                name: office.name,
                                state: TargetState(address: office.address, path: noRoute).published
                            )
                        ],
                        uplinks: [
                            .init(
                                interface: "wlan0",
                                interfaceIndex: 3,
                                kind: "wifi",
                                connectivity: .partial,
                                reason: .init(code: "tls_expired", probe: "web"),
                                isUsed: true
                            )
                        ],
                        probes: [
                            .init(
                                point: .init(probe: "web", interface: "wlan0", family: "ipv4"),
                                verdict: .init(verdict: "down", code: "tls_expired"),
                                isStale: false,
                                since: Timestamp(observed)
                            )
                        ],
                        omitted: 3
                    )
                )
            )
        ),
        ("sink.lost", EventDraft(SinkLoss(sink: "fleet", firstSequence: 12, lastSequence: 40))),
        (
            "events.omitted",
            EventDraft(.eventsOmitted, .eventsOmitted(EventsOmitted(firstSequence: 30, count: 13)))
        ),
        (
            "config.rejected",
            EventDraft(
                ConfigurationRejection(
                    errors: ["/etc/reachagent/reachagent.toml:7:1: probe.web.rise: 0 is not from 1 to 1000"],
                    errorsOmitted: 2
                )
            )
        ),
        ("subscriber.lagged", .subscriberLagged(lastSequence: 41)),
        (
            "network.snapshot",
            .networkSnapshot(
                NetworkSnapshot(
                    links: [
                        Link(
                            index: 3,
                            name: "wlan0",
                            flags: [.up, .lowerUp],
                            operationalState: .up,
                            classification: InterfaceClassification(
                                kind: .wifi,
                                evidence: [KindEvidence(.deviceType, "wlan")]
                            )
                        )
                    ],
                    addresses: [
                        InterfaceAddress(interfaceIndex: 3, address: address("192.0.2.2"), prefixLength: 24),
                        InterfaceAddress(
                            interfaceIndex: 3,
                            address: address("2001:db8::2"),
                            prefixLength: 64,
                            flags: [.tentative, .temporary]
                        ),
                    ],
                    defaultRoutes: [
                        Route(
                            destination: .everything(.ipv4),
                            metric: 600,
                            nextHops: [NextHop(interfaceIndex: 3, gateway: address("192.0.2.1"))]
                        ),
                        Route(
                            destination: .everything(.ipv4),
                            metric: 700,
                            preferredSource: address("192.0.2.2"),
                            nextHops: [NextHop(interfaceIndex: 3, gateway: address("203.0.113.1"), isOnLink: true)]
                        ),
                    ]
                ),
                state: up,
                since: observed,
                targets: [(office, TargetState(address: office.address, path: noRoute))]
            )
        ),
    ]

    static let drafts = kernelDrafts + probeDrafts + hookDrafts

    @Test("the bytes of each event match its golden file", arguments: drafts.indices)
    func golden(_ index: Int) throws {
        let (name, draft) = Self.drafts[index]
        let event = Event(draft, from: Self.origin, at: Self.time, number: 42)
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden/\(name).json")
        let line = String(decoding: event.line, as: UTF8.self)
        if ProcessInfo.processInfo.environment["REACHAGENT_WRITE_GOLDEN"] != nil {
            try (line + "\n").write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == line + "\n")
        // The part behind a second dot of `network.snapshot.probes` tells cases of one type apart.
        let type = name.split(separator: ".").prefix(2).joined(separator: ".")
        #expect(event.type.rawValue == "reachagent.\(type)")
    }

    @Test("each event is one JSON object on one line, with the CloudEvents attributes", arguments: drafts.indices)
    func envelope(_ index: Int) throws {
        let event = Event(Self.drafts[index].draft, from: Self.origin, at: Self.time, number: 42)
        #expect(!event.line.contains { $0 < 0x20 })
        let object = try JSONSerialization.jsonObject(with: Data(event.line)) as? [String: Any]
        #expect(object?["specversion"] as? String == "1.0")
        #expect(object?["source"] as? String == "/reachagent/edge-7")
        #expect(object?["time"] as? String == "2026-11-21T07:00:00.123456Z")
        #expect(object?["seq"] as? Int == (event.type.isNumbered ? 42 : nil))
        #expect((object?["id"] as? String)?.hasSuffix(event.type.isNumbered ? "-42" : "-u42") == true)
    }
}
