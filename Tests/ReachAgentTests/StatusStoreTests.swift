import NetlinkMonitor
import Probes
import Reachability
import Testing

import struct AgentEvents.AgentStatus
import struct AgentEvents.Event
import enum AgentEvents.EventDecoder
import struct AgentEvents.EventDraft
import struct AgentEvents.EventOrigin
import struct AgentEvents.JSONWriter
import struct AgentEvents.Timestamp
import struct AgentEvents.Via

@testable import ReachAgent

/// The published state, as `status` reports it and as a client reads it.
@Suite struct StatusStoreTests {
    private static let start = ContinuousClock.now
    private static let office = Target(name: "office", address: IPAddress("203.0.113.7") ?? .unspecified(.ipv4))
    private static let wifi = ReachabilityState(
        ipv4: Path(via: .wifi, interface: PathInterface(index: 3, name: "wlan0", kind: .wifi)),
        ipv6: Path(via: .none, reason: .noRoute)
    )
    private static let lost = ReachabilityState(
        ipv4: Path(via: .none, reason: .linkDown),
        ipv6: Path(via: .none, reason: .noRoute)
    )

    private static func moment(_ seconds: Int) -> ObservedTime {
        ObservedTime(
            instant: start.advanced(by: .seconds(seconds)),
            microsecondsSince1970: 1_795_244_400_000_000 + Int64(seconds) * 1_000_000
        )
    }

    private static func statusStore() -> StatusStore {
        let origin = EventOrigin(streamID: "6f1c", host: "edge-7", bootID: "0e2a")
        let agent = AgentFacts(version: "0.1.0", processID: 812, started: moment(0), origin: origin)
        return StatusStore(agent: agent, targets: [office], lastSequence: 0)
    }

    private static func reply(_ statusStore: StatusStore, at seconds: Int) throws -> AgentStatus {
        let status = statusStore.published.status(at: moment(seconds), journal: nil, sockets: nil)
        return try EventDecoder.decode(AgentStatus.self, from: JSONWriter.text(of: status))
    }

    private static func change(_ from: ReachabilityState, _ to: ReachabilityState, _ seconds: Int)
        -> Change<ReachabilityState>
    {
        Change(from: from, to: to, cause: ChangeCause(kind: .link, code: "link_down"), observed: moment(seconds))
    }

    @Test func `before anything was published, nothing is known`() throws {
        let reply = try Self.reply(Self.statusStore(), at: 1)
        #expect(reply.reachability.state?.via == .unknown)
        #expect(reply.reachability.since == nil)
        #expect(reply.targets.map(\.name) == ["office"])
        #expect(reply.lastSequence == 0)
        #expect(reply.isSynchronized == false)
        #expect(reply.agent?.bootID == "0e2a")
        #expect(reply.agent?.uptimeMilliseconds == 1000)
    }

    @Test func `a raw change is pending until it is published as settled`() throws {
        let statusStore = Self.statusStore()
        let up = Self.change(.unknown, Self.wifi, 0)
        statusStore.note(.path(up), sequence: 2, at: Self.moment(0))
        statusStore.note(.reachability(up), sequence: 3, at: Self.moment(0))
        #expect(try Self.reply(statusStore, at: 1).reachability.pending == nil)
        let down = Self.change(Self.wifi, Self.lost, 10)
        statusStore.note(.path(down), sequence: 4, at: Self.moment(10))
        let waiting = try Self.reply(statusStore, at: 11)
        #expect(waiting.reachability.state?.via == .wifi)
        #expect(waiting.reachability.pending?.state?.via == Via("none"))
        #expect(waiting.reachability.pending?.forMilliseconds == 1000)
        #expect(waiting.lastSequence == 4)
        statusStore.note(.reachability(down), sequence: 5, at: Self.moment(12))
        let settled = try Self.reply(statusStore, at: 72)
        #expect(settled.reachability.state?.isReachable == false)
        #expect(settled.reachability.pending == nil)
        #expect(settled.reachability.forMilliseconds == 60_000)
        #expect(settled.reachability.cause?.code == "link_down")
        #expect(settled.recent.map(\.sequence) == [3, 5])
        #expect(settled.recent.last?.from == "wifi wlan0 IPv4")
    }

    @Test func `each target has its own state, and unknown targets change none`() throws {
        let statusStore = Self.statusStore()
        let unknown = TargetState(address: Self.office.address, path: .unknown)
        let reached = TargetState(address: Self.office.address, path: Self.wifi.ipv4)
        let change = Change(from: unknown, to: reached, cause: .start, observed: Self.moment(0))
        statusStore.note(.targetPath(Self.office, change), sequence: 4, at: Self.moment(0))
        #expect(try Self.reply(statusStore, at: 1).targets.first?.settled.pending?.state?.via == .wifi)
        statusStore.note(.target(Self.office, change), sequence: 5, at: Self.moment(0))
        statusStore.note(
            .target(Target(name: "home", address: .unspecified(.ipv4)), change),
            sequence: 6,
            at: Self.moment(0)
        )
        let reply = try Self.reply(statusStore, at: 1)
        #expect(reply.targets.count == 1)
        #expect(reply.targets.first?.settled.state?.via == .wifi)
        #expect(reply.reachability.state?.via == .unknown)
        #expect(reply.lastSequence == 6)
    }

    @Test func `only the newest settled changes are kept`() throws {
        let statusStore = Self.statusStore()
        for number in 1...25 {
            let change =
                number % 2 == 0 ? Self.change(Self.wifi, Self.lost, number) : Self.change(Self.lost, Self.wifi, number)
            statusStore.note(.reachability(change), sequence: UInt64(number), at: Self.moment(number))
        }
        #expect(try Self.reply(statusStore, at: 30).recent.compactMap(\.sequence) == Array(16...25))
    }

    @Test func `losses are counted, and other events move the last number on`() throws {
        let statusStore = Self.statusStore()
        let loss = Overrun(code: .bufferFull, detail: "full", dropped: 7, observed: Self.moment(3))
        statusStore.note(loss, sequence: 8)
        statusStore.note(loss, sequence: 9)
        statusStore.note(sequence: 12)
        statusStore.note(sequence: 11)
        let reply = try Self.reply(statusStore, at: 4)
        #expect(reply.overruns?.count == 2)
        #expect(reply.overruns?.dropped == 14)
        #expect(reply.overruns?.code == "netlink_overrun")
        #expect(reply.lastSequence == 12)
    }

    /// A device that starts in 1970, and one whose clock was a day ahead.
    @Test(arguments: [1_795_244_400, -86_400] as [Int64])
    func `the times of checks and losses move with a clock that is set`(step: Int64) throws {
        let statusStore = Self.statusStore()
        let (past, later) = (Self.moment(3), Self.moment(13))
        statusStore.note(Overrun(code: .bufferFull, detail: "full", dropped: 7, observed: past), sequence: 8)
        let point = ProbePoint(probe: "web", vantage: .default)
        let check = ProbeSample(point: point, outcome: .ok, latency: .milliseconds(30), observed: past)
        let record = ProbeRecord(point: point, state: ProbeState(.up), since: past, last: check)
        let now = ObservedTime(
            instant: later.instant,
            microsecondsSince1970: later.microsecondsSince1970 + step * 1_000_000
        )
        let status = statusStore.published.status(at: now, journal: nil, sockets: nil, probes: [record])
        let expected = Timestamp(microsecondsSince1970: now.microsecondsSince1970 - 10_000_000)
        #expect(status.probes.first?.last == expected)
        #expect(status.overruns?.last == expected)
        let style = TerminalStyle(hasColour: false, hasUnicode: false, columns: 120)
        let text = StatusText(status, style: style, now: Timestamp(now), local: \.description)
        #expect(text.detail(of: .probes).contains("10 s ago"))
    }

    @Test func `the snapshot shows the settled state, and its number is the last published one`() {
        let statusStore = Self.statusStore()
        let network = NetworkSnapshot(links: [Link(index: 3, name: "wlan0")])
        statusStore.note(NetworkUpdate(snapshot: network, changes: [], observed: Self.moment(0)))
        let up = Self.change(.unknown, Self.wifi, 0)
        statusStore.note(.path(up), sequence: 2, at: Self.moment(0))
        #expect(statusStore.published.snapshot().event.contains(#""via":"unknown""#))
        #expect(!statusStore.published.snapshot().event.contains(#""since""#))
        statusStore.note(.reachability(up), sequence: 3, at: Self.moment(1))
        let draft = statusStore.published.snapshot()
        #expect(statusStore.published.lastSequence == 3)
        #expect(draft.event.contains(#""since":"\#(Timestamp(Self.moment(0)))""#))
        #expect(draft.event.contains(#""state":{"via":"wifi""#))
        #expect(draft.event.contains(#""name":"wlan0""#))
    }

    // MARK: Verdicts of probes

    private static func wifi(_ connectivity: Connectivity, _ code: String? = nil) -> ReachabilityState {
        ReachabilityState(
            ipv4: wifi.ipv4,
            ipv6: wifi.ipv6,
            connectivity: connectivity,
            connectivityReason: code.map { ConnectivityReason(code: $0, probe: "web") }
        )
    }

    @Test func `a path that reverts is no longer pending, whatever the probe verdicts in between`() throws {
        let statusStore = Self.statusStore()
        statusStore.note(.reachability(Self.change(.unknown, Self.wifi(.full), 0)), sequence: 3, at: Self.moment(0))
        statusStore.note(.path(Self.change(Self.wifi(.full), Self.lost, 5)), sequence: 4, at: Self.moment(5))
        #expect(try Self.reply(statusStore, at: 6).reachability.pending?.state?.via == Via("none"))
        statusStore.note(.path(Self.change(Self.lost, Self.wifi(.unknown), 6)), sequence: 5, at: Self.moment(6))
        #expect(try Self.reply(statusStore, at: 7).reachability.pending == nil)
    }

    @Test func `a change that settles with a later verdict is no longer pending`() throws {
        let statusStore = Self.statusStore()
        statusStore.note(.reachability(Self.change(.unknown, Self.lost, 0)), sequence: 3, at: Self.moment(0))
        statusStore.note(.path(Self.change(Self.lost, Self.wifi(.unknown), 5)), sequence: 4, at: Self.moment(5))
        statusStore.note(.reachability(Self.change(Self.lost, Self.wifi(.full), 5)), sequence: 5, at: Self.moment(7))
        let reply = try Self.reply(statusStore, at: 8)
        #expect(reply.reachability.pending == nil)
        #expect(reply.reachability.state?.connectivity == .full)
    }

    @Test func `a family that settles does not clear the pending change of the other one`() throws {
        let statusStore = Self.statusStore()
        let interface = PathInterface(index: 3, name: "wlan0", kind: .wifi)
        let (up, down) = (Path(via: .wifi, interface: interface), Path(via: .none, reason: .noRoute))
        let none = ReachabilityState(ipv4: down, ipv6: down)
        let both = ReachabilityState(ipv4: up, ipv6: up)
        statusStore.note(.reachability(Self.change(.unknown, none, 0)), sequence: 2, at: Self.moment(0))
        statusStore.note(.path(Self.change(none, Self.wifi, 5)), sequence: 3, at: Self.moment(5))
        statusStore.note(.path(Self.change(Self.wifi, both, 6)), sequence: 4, at: Self.moment(6))
        statusStore.note(.reachability(Self.change(none, Self.wifi, 5)), sequence: 5, at: Self.moment(7))
        let waiting = try Self.reply(statusStore, at: 8).reachability
        #expect(waiting.state?.via == .wifi && waiting.pending?.state?.path.ipv6?.via == .wifi)
        statusStore.note(.reachability(Self.change(Self.wifi, both, 6)), sequence: 6, at: Self.moment(9))
        #expect(try Self.reply(statusStore, at: 10).reachability.pending == nil)
    }

    @Test func `a verdict that settles does not clear the pending change of a path`() throws {
        let statusStore = Self.statusStore()
        statusStore.note(.reachability(Self.change(.unknown, Self.wifi, 0)), sequence: 2, at: Self.moment(0))
        statusStore.note(.path(Self.change(Self.wifi, Self.lost, 5)), sequence: 3, at: Self.moment(5))
        let partial = ReachabilityState(ipv4: Self.wifi.ipv4, ipv6: Self.wifi.ipv6, connectivity: .partial)
        statusStore.note(.reachability(Self.change(Self.wifi, partial, 4)), sequence: 4, at: Self.moment(5))
        #expect(try Self.reply(statusStore, at: 6).reachability.pending?.state?.via == Via("none"))
    }

    @Test func `a flapping state does not clear a pending change`() throws {
        let statusStore = Self.statusStore()
        statusStore.note(.reachability(Self.change(.unknown, Self.wifi, 0)), sequence: 3, at: Self.moment(0))
        statusStore.note(.path(Self.change(Self.wifi, Self.lost, 5)), sequence: 4, at: Self.moment(5))
        let flapping = ReachabilityState(ipv4: Self.wifi.ipv4, ipv6: Self.wifi.ipv6, isFlapping: true)
        let change = Change(
            from: Self.wifi,
            to: flapping,
            cause: ChangeCause(kind: .flapping, code: "flapping_started"),
            observed: Self.moment(5)
        )
        statusStore.note(.reachability(change), sequence: 5, at: Self.moment(5))
        let reply = try Self.reply(statusStore, at: 6)
        #expect(reply.reachability.state?.isFlapping == true)
        #expect(reply.reachability.pending?.state?.via == Via("none"))
    }

    @Test func `the duration of the connectivity is kept apart from that of the path`() throws {
        let statusStore = Self.statusStore()
        func settle(
            _ from: ReachabilityState,
            _ to: ReachabilityState,
            _ seconds: Int
        ) throws -> AgentEvents.AgentStatus.SettledState {
            let change = Self.change(from, to, seconds)
            statusStore.note(.reachability(change), sequence: UInt64(seconds), at: Self.moment(seconds))
            return try Self.reply(statusStore, at: 100).reachability
        }
        #expect(try settle(.unknown, Self.wifi(.unknown), 1).connectivitySince == nil)
        #expect(try settle(Self.wifi(.unknown), Self.wifi(.full), 10).connectivityForMilliseconds == 90_000)
        #expect(
            try settle(Self.wifi(.full), Self.wifi(.partial, "tls_expired"), 40).connectivityForMilliseconds == 60_000
        )
        let other = try settle(Self.wifi(.partial, "tls_expired"), Self.wifi(.partial, "connect_timeout"), 50)
        #expect(other.connectivityForMilliseconds == 60_000)
        #expect(other.forMilliseconds == 50_000)
        #expect(other.viaForMilliseconds == 99_000)
        #expect(try settle(Self.wifi(.partial), Self.lost, 60).connectivitySince == nil)
    }

    private static func fell(_ probe: String, _ seconds: Int) -> Transition {
        .probe(
            ProbePoint(probe: probe, vantage: Vantage(interface: "wwan0", families: .ipv6)),
            Change(
                from: ProbeState(.up),
                to: ProbeState(.down, code: .connectTimeout),
                cause: ChangeCause(kind: .probe, code: "connect_timeout"),
                observed: moment(seconds)
            )
        )
    }

    @Test func `changes of probes are among the newest, and neither evict all others nor change their order`() throws {
        let statusStore = Self.statusStore()
        for number in 1...4 {
            statusStore.note(
                .reachability(Self.change(Self.lost, Self.wifi, number)),
                sequence: UInt64(number),
                at: Self.moment(number)
            )
        }
        for number in 5...40 {
            statusStore.note(Self.fell("p\(number)", number), sequence: UInt64(number), at: Self.moment(number))
        }
        statusStore.note(.resumed(after: .seconds(9), observed: Self.moment(41)), sequence: 41, at: Self.moment(41))
        let reply = try Self.reply(statusStore, at: 42)
        #expect(reply.lastSequence == 41)
        #expect(reply.recent.compactMap(\.sequence) == [1, 2, 3, 4] + (35...40))
        let last = try #require(reply.recent.last)
        #expect(last.subject == "p40" && last.interface == "wwan0" && last.family == "ipv6")
        #expect(last.from == "up" && last.to == "down (connect_timeout)")
    }

    @Test(
        arguments: [
            (states: 5, probes: 6, newest: Array(1...5) + Array(7...11)),
            (states: 7, probes: 4, newest: Array(2...11)),
            (states: 7, probes: 8, newest: Array(3...7) + Array(11...15)),
            (states: 2, probes: 12, newest: Array(1...2) + Array(7...14)),
        ] as [(states: Int, probes: Int, newest: [UInt64])]
    )
    func `a change of a probe evicts one of the state only while probes have less than half`(
        states: Int,
        probes: Int,
        newest: [UInt64]
    ) throws {
        let statusStore = Self.statusStore()
        for number in 1...states {
            statusStore.note(
                .reachability(Self.change(Self.lost, Self.wifi, number)),
                sequence: UInt64(number),
                at: Self.moment(number)
            )
        }
        for number in states + 1...states + probes {
            statusStore.note(Self.fell("p\(number)", number), sequence: UInt64(number), at: Self.moment(number))
        }
        #expect(try Self.reply(statusStore, at: 42).recent.compactMap(\.sequence) == newest)
    }

    @Test func `after a reload the targets are others, and those that stay keep their state`() throws {
        let statusStore = Self.statusStore()
        let reached = TargetState(address: Self.office.address, path: Self.wifi.ipv4)
        let change = Change(
            from: TargetState(address: Self.office.address, path: .unknown),
            to: reached,
            cause: .start,
            observed: Self.moment(0)
        )
        statusStore.note(.target(Self.office, change), sequence: 5, at: Self.moment(0))
        let home = Target(name: "home", address: .unspecified(.ipv4))
        statusStore.setTargets([home, Self.office])
        let reply = try Self.reply(statusStore, at: 1)
        #expect(reply.targets.map(\.name) == ["home", "office"])
        #expect(reply.targets.map(\.settled.state?.via) == [.unknown, .wifi])
        statusStore.setTargets([])
        #expect(try Self.reply(statusStore, at: 1).targets.isEmpty)
    }

    @Test func `status and snapshot have the given probes`() throws {
        let statusStore = Self.statusStore()
        let point = ProbePoint(probe: "web", vantage: .default)
        let probes = [ProbeRecord(point: point, state: ProbeState(.down, code: .connectTimeout))]
        let uplinks = [
            Uplink(interface: PathInterface(index: 4, name: "wwan0", kind: .wwan), connectivity: .full, isUsed: false)
        ]
        let status = statusStore.published.status(
            at: Self.moment(1),
            journal: nil,
            sockets: nil,
            probes: probes,
            uplinks: uplinks,
            schedule: ScheduleStatistics(),
            configuration: AgentStatus.Configuration(files: ["/etc/reachagent.toml"], loaded: Timestamp(Self.moment(0)))
        )
        let reply = try EventDecoder.decode(AgentStatus.self, from: JSONWriter.text(of: status))
        #expect(reply.probes.map(\.code) == ["connect_timeout"])
        #expect(reply.uplinks.map(\.connectivity) == [.full])
        #expect(reply.schedule?.checks == 0)
        #expect(reply.configuration?.files == ["/etc/reachagent.toml"])
        let snapshot = statusStore.published.snapshot(probes: probes, uplinks: uplinks).event
        #expect(snapshot.contains(#""probes":[{"probe":"web","verdict":"down","code":"connect_timeout"}]"#))
        #expect(snapshot.contains(#""uplinks":[{"interface":"wwan0""#))
    }
}

extension EventDraft {
    fileprivate var event: String {
        let event = Event(
            self,
            from: EventOrigin(streamID: "6f1c", host: "edge-7"),
            at: Timestamp(microsecondsSince1970: 0),
            number: 1
        )
        return String(decoding: event.line, as: UTF8.self)
    }
}
