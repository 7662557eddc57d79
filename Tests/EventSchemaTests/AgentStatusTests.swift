import CheckResults
import Foundation
import NetlinkMonitor
import Probes
import Reachability
import Testing

import struct AgentEvents.AgentStatus
import struct AgentEvents.ConfigurationRejection
import struct AgentEvents.JSONWriter
import struct AgentEvents.ScannedLine
import struct AgentEvents.SinkStatus
import struct AgentEvents.Timestamp

@testable import Hooks
@testable import ReachAgent

/// The bytes of the answer to `status`, frozen in `Golden/`; see ``GoldenTests``.
@Suite struct AgentStatusTests {
    private static let start = ContinuousClock.now

    /// A moment some seconds after the agent's start.
    static func moment(_ seconds: Int) -> ObservedTime {
        ObservedTime(
            instant: start.advanced(by: .seconds(seconds)),
            microsecondsSince1970: 1_795_244_400_123_456 + Int64(seconds) * 1_000_000
        )
    }

    private static let agent = AgentFacts(
        version: "0.1.0",
        processID: 812,
        started: moment(0),
        origin: GoldenTests.origin
    )

    private static let network = NetworkSnapshot(
        links: [
            Link(index: 1, name: "lo", flags: [.up, .lowerUp], classification: .init(kind: .loopback, evidence: [])),
            Link(
                index: 3,
                name: "wlan0",
                flags: [.up],
                operationalState: .down,
                classification: .init(kind: .wifi, evidence: [KindEvidence(.deviceType, "wlan")])
            ),
        ],
        addresses: [
            InterfaceAddress(interfaceIndex: 1, address: GoldenTests.address("127.0.0.1"), prefixLength: 8),
            InterfaceAddress(interfaceIndex: 3, address: GoldenTests.address("192.0.2.2"), prefixLength: 24),
        ],
        isSynchronized: false
    )

    /// Reachable, then lost, and about to come back.
    private static let eventful: AgentStatus = {
        var reachability = SettledState<ReachabilityState>(unknown: .unknown)
        let up = Change(from: .unknown, to: GoldenTests.up, cause: .start, observed: moment(0))
        let down = Change(
            from: GoldenTests.up,
            to: GoldenTests.down,
            cause: GoldenTests.cause,
            observed: moment(60),
            settled: .seconds(1)
        )
        let back = Change(
            from: GoldenTests.down,
            to: GoldenTests.up,
            cause: ChangeCause(kind: .link, code: "link_up", interface: "wlan0", detail: "up"),
            observed: moment(90)
        )
        reachability.settle(up, at: moment(0), keepsVia: false)
        reachability.settle(down, at: moment(61), keepsVia: false)
        reachability.observe(back)
        var target = SettledState(unknown: TargetState(address: GoldenTests.office.address, path: .unknown))
        let reached = Change(
            from: target.state,
            to: TargetState(address: GoldenTests.office.address, path: GoldenTests.tunnel),
            cause: .start,
            observed: moment(0)
        )
        target.settle(reached, at: moment(0), keepsVia: false)
        var overruns = AgentStatus.Overruns(count: 0, dropped: 0)
        overruns.count(Overrun(code: .bufferFull, detail: "full", dropped: 17, observed: moment(30)))
        let transitions: [(Transition, UInt64, Int)] = [
            (.reachability(up), 3, 0), (.target(GoldenTests.office, reached), 5, 0), (.reachability(down), 8, 61),
        ]
        return AgentStatus(
            of: agent,
            at: moment(91),
            reachability: reachability,
            targets: [(GoldenTests.office, target)],
            network: network,
            recent: transitions.compactMap { transition, sequence, seconds in
                AgentStatus.Transition(transition, sequence: sequence, time: Timestamp(moment(seconds)))
            },
            lastSequence: 9,
            overruns: overruns,
            journal: AgentStatus.Journal(
                directory: "/var/lib/reachagent/journal",
                oldestSequence: 1,
                newestSequence: 8,
                segments: 2,
                bytes: 40_960,
                isDegraded: true,
                code: "no_space",
                detail: "cannot write: No space left on device",
                missing: [.init(firstSequence: 4, lastSequence: 5), .init(firstSequence: 9, lastSequence: 9)],
                sync: "interval",
                syncMilliseconds: 1000
            ),
            sockets: AgentStatus.Sockets(
                events: "/run/reachagent/events.sock",
                control: "/run/reachagent/control.sock",
                connections: 3,
                limit: 4096
            )
        )
    }()

    /// Just started: nothing is known.
    private static let fresh = status(hooks: [])

    private static func status(hooks: [AgentStatus.HookStatus], sinks: [SinkStatus] = []) -> AgentStatus {
        AgentStatus(
            of: agent,
            at: moment(0),
            reachability: SettledState(unknown: .unknown),
            hooks: hooks,
            sinks: sinks,
            network: NetworkSnapshot(isSynchronized: false)
        )
    }

    /// Some probes are not up.
    private static let probing: AgentStatus = {
        var reachability = SettledState<ReachabilityState>(unknown: .unknown)
        let change = Change(
            from: GoldenTests.full,
            to: GoldenTests.partial,
            cause: ChangeCause(kind: .probe, code: "tls_expired", detail: "web: ended 2026-11-20"),
            observed: moment(60),
            settled: .seconds(1)
        )
        reachability.settle(change, at: moment(61), keepsVia: true, keepsConnectivity: false)
        var schedule = ScheduleStatistics()
        (schedule.checks, schedule.shared, schedule.skipped, schedule.refused) = (120, 8, 2, 1)
        schedule.longestDelay = .milliseconds(1200)
        schedule.bytes = ["wwan": 40_960]
        let transitions: [(Transition, UInt64, Int)] = [
            (.reachability(change), 8, 61),
            (.probe(GoldenTests.point("web", nil, .ipv4), GoldenTests.probeFell), 7, 60),
            (.certificate(GoldenTests.expiry), 9, 61),
        ]
        return AgentStatus(
            of: agent,
            at: moment(91),
            reachability: reachability,
            probes: GoldenTests.records(at: moment(90), since: moment(61)),
            uplinks: GoldenTests.uplinks,
            schedule: schedule,
            configuration: AgentStatus.Configuration(
                files: ["/etc/reachagent/reachagent.toml", "/etc/reachagent/conf.d/office.toml"],
                loaded: Timestamp(moment(0)),
                loadedForMilliseconds: 91_000,
                path: "/etc/reachagent/reachagent.toml",
                rejected: .init(
                    ConfigurationRejection(
                        errors: ["/etc/reachagent/reachagent.toml:7:1: probe.web.rise: 0 is not from 1 to 1000"],
                        errorsOmitted: 2
                    ),
                    time: Timestamp(moment(80))
                )
            ),
            hookSetup: AgentStatus.HookSetup(
                HookSettings(directories: ["/etc/reachagent/hooks.d"]),
                .descendants(because: "control groups are not delegated")
            ),
            network: network,
            recent: transitions.compactMap { transition, sequence, seconds in
                AgentStatus.Transition(transition, sequence: sequence, time: Timestamp(moment(seconds)))
            },
            lastSequence: 9
        )
    }()

    /// Hooks that fail, and some that do not.
    private static let hooked = status(hooks: GoldenTests.hookStatuses)

    /// A sink that ships, and one that has not reported.
    private static let shipping = status(
        hooks: [],
        sinks: [
            SinkStatus(
                name: "fleet",
                broker: "tls://nats.example.org",
                state: .connected,
                since: GoldenTests.time,
                code: "broker_too_large",
                detail: "the broker takes at most 1048576 bytes",
                acknowledged: 41,
                acknowledgedTime: GoldenTests.time,
                pending: 2,
                lost: 1
            ),
            SinkStatus(name: "home", broker: "mqtts://mqtt.example.org", pending: 43),
        ]
    )

    private static func json(_ value: some Encodable) -> [UInt8] {
        var json = JSONWriter()
        json.encode(value)
        return json.bytes
    }

    private static let statuses: [(name: String, status: AgentStatus)] = [
        ("status.eventful", eventful), ("status.fresh", fresh), ("status.probes", probing),
        ("status.hooks", hooked), ("status.sinks", shipping),
    ]

    @Test(arguments: statuses.indices)
    func `the bytes of each status are those of its golden file`(_ index: Int) throws {
        let (name, status) = Self.statuses[index]
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden/\(name).json")
        let line = String(decoding: Self.json(status), as: UTF8.self)
        if ProcessInfo.processInfo.environment["REACHAGENT_WRITE_GOLDEN"] != nil {
            try (line + "\n").write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == line + "\n")
        #expect(!line.utf8.contains { $0 < 0x20 })
    }

    @Test func `every member is in the documentation`() throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "docs/status.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        let object = try #require(JSONSerialization.jsonObject(with: Data(Self.json(Self.eventful))) as? [String: Any])
        var names = Set(object.keys)
        for part in ["agent", "journal", "sockets", "overruns", "pending"] {
            names.formUnion(try #require(object[part] as? [String: Any]).keys)
        }
        for list in ["targets", "interfaces", "recent"] {
            names.formUnion(try #require((object[list] as? [[String: Any]])?.first).keys)
        }
        let probing = try #require(JSONSerialization.jsonObject(with: Data(Self.json(Self.probing))) as? [String: Any])
        names.formUnion(probing.keys)
        for part in ["schedule", "configuration"] {
            names.formUnion(try #require(probing[part] as? [String: Any]).keys)
        }
        for list in ["probes", "uplinks", "recent"] {
            for entry in try #require(probing[list] as? [[String: Any]]) {
                names.formUnion(entry.keys)
                for member in ["certificate", "reason"] {
                    names.formUnion((entry[member] as? [String: Any] ?? [:]).keys)
                }
                for pin in entry["pins"] as? [[String: Any]] ?? [] { names.formUnion(pin.keys) }
            }
        }
        let hooked = try #require(JSONSerialization.jsonObject(with: Data(Self.json(Self.hooked))) as? [String: Any])
        for hook in try #require(hooked["hooks"] as? [[String: Any]]) {
            names.formUnion(hook.keys)
            names.formUnion((hook["last"] as? [String: Any] ?? [:]).keys)
        }
        let shipping = try #require(
            JSONSerialization.jsonObject(with: Data(Self.json(Self.shipping))) as? [String: Any]
        )
        for sink in try #require(shipping["sinks"] as? [[String: Any]]) { names.formUnion(sink.keys) }
        for name in names { #expect(text.contains("`\(name)`"), "\(name) is missing") }
    }

    @Test func `of many hooks the failing ones are listed first, and those omitted are counted`() throws {
        let hooks = (0..<100).map { index in
            GoldenTests.status("\(index)", failures: (90..<95).contains(index) ? index == 92 ? 3 : 1 : 0)
        }
        let status = Self.json(Self.status(hooks: hooks))
        let object = try #require(JSONSerialization.jsonObject(with: Data(status)) as? [String: Any])
        let names = (object["hooks"] as? [[String: Any]])?.compactMap { $0["hook"] as? String }
        #expect(names == ["92", "90", "91", "93", "94"] + (0..<59).map(String.init))
        #expect(object["hooks_omitted"] as? Int == 36)
        let report = Self.json(HooksReply(hooks))
        let all = try #require(JSONSerialization.jsonObject(with: Data(report)) as? [String: Any])
        #expect((all["hooks"] as? [Any])?.count == 100)
        #expect(Set(all.keys) == ["hooks"])
    }

    @Test func `hooks with refusals of very long paths leave the status readable`() throws {
        let path = "/" + String(repeating: "\u{1}", count: 20_000)
        let refusal = HookRefusal(.owner, path: path, evidence: path, remedy: path)
        let hooks = (0..<64).map { index in
            GoldenTests.status("\(index)", last: GoldenTests.completion("\(index)", .file, .refused(refusal)))
        }
        let status = Self.json(Self.status(hooks: hooks))
        #expect(status.count < ScannedLine.maximumBytes)
        let object = try #require(JSONSerialization.jsonObject(with: Data(status)) as? [String: Any])
        let (written, omitted) = ((object["hooks"] as? [Any])?.count, object["hooks_omitted"] as? Int)
        #expect(try #require(written) + #require(omitted) == 64)
    }

    @Test func `a change back to the settled state is no longer pending`() {
        var settled = SettledState<ReachabilityState>(unknown: .unknown)
        let up = Change(from: .unknown, to: GoldenTests.up, cause: .start, observed: Self.moment(0))
        settled.settle(up, at: Self.moment(0), keepsVia: false)
        let down = Change(from: GoldenTests.up, to: GoldenTests.down, cause: .start, observed: Self.moment(1))
        settled.observe(down)
        #expect(settled.pending?.state == GoldenTests.down)
        settled.observe(Change(from: GoldenTests.down, to: .unknown, cause: .start, observed: Self.moment(2)))
        #expect(settled.pending?.since == Self.moment(1))
        settled.observe(Change(from: .unknown, to: GoldenTests.up, cause: .start, observed: Self.moment(3)))
        #expect(settled.pending == nil)
    }

    @Test func `a change of anything but the medium leaves the time since when it is used`() {
        var settled = SettledState<ReachabilityState>(unknown: .unknown)
        let up = Change(from: .unknown, to: GoldenTests.up, cause: .start, observed: Self.moment(0))
        settled.settle(up, at: Self.moment(0), keepsVia: false)
        settled.settle(up, at: Self.moment(5), keepsVia: true)
        #expect(settled.since == Self.moment(5))
        #expect(settled.viaSince == Self.moment(0))
    }
}
