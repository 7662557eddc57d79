import AgentTestKit
import Configuration
import ForeignText
import FoundationEssentials
import InputRecording
import NetlinkMonitor
import NotificationBus
import Probes
import Reachability
import Synchronization
import Testing

import struct AgentEvents.ConfigurationReload
import struct AgentEvents.Event
import struct AgentEvents.EventDraft
import struct AgentEvents.EventOrigin
import enum AgentEvents.EventType
import struct AgentEvents.Timestamp
import struct StatePages.CheckCounts

@testable import ReachAgent

/// The events that the driver publishes for its inputs, and the replay of its recording.
@Suite struct ReachabilityDriverTests {
    private static let internet = IPAddress("198.41.0.4") ?? .unspecified(.ipv4)
    private static let source = IPAddress("192.0.2.7") ?? .unspecified(.ipv4)
    private static let point = ProbePoint(probe: "web", vantage: Vantage(families: .ipv4))

    /// A driver with one probe, its events and its recording.
    private struct Fixture {
        let bus = NotificationBus<Event>()
        let lines: Subscription<Event>
        let driver: ReachabilityDriver
        let settings: Settings
        let recording: String
        let recorder: InputRecorder
        private let directory: TemporaryDirectory
        /// The duration of the suspend that the driver detects next, once.
        let suspension = Box<Duration?>(nil)

        /// A value that the driver's closures share with the test.
        final class Box<Value: Sendable>: Sendable {
            private let storage: Mutex<Value>
            init(_ value: Value) { storage = Mutex(value) }
            var value: Value {
                get { storage.withLock { $0 } }
                set { storage.withLock { $0 = newValue } }
            }
        }

        init(
            asksNetwork: Bool = true,
            portals: @escaping @Sendable ([Uplink]) -> [NetworkPortal] = { _ in [] }
        ) throws {
            directory = try TemporaryDirectory()
            recording = "\(directory.path)/inputs.jsonl"
            let origin = EventOrigin(streamID: "6f1c", host: "edge-7", bootID: nil)
            recorder = try InputRecorder(
                path: recording,
                header: RecordingHeader(
                    agent: "0.1.0",
                    stream: "6f1c",
                    nextSequence: 1,
                    source: origin.source,
                    started: .now
                )
            )
            lines = bus.subscribe(capacity: 1024)
            var settings = Settings()
            settings.settle = .none
            settings.probes = [try ProbeDefinition.adHoc("https://host.test/", name: "web")]
            settings.portal.asksNetwork = asksNetwork
            self.settings = settings
            driver = ReachabilityDriver(
                bus: bus,
                statusStore: StatusStore(
                    agent: AgentFacts(version: "0.1.0", processID: 1, started: .now, origin: origin),
                    targets: [],
                    lastSequence: 0
                ),
                origin: origin,
                plan: ConnectivityPlan(settings),
                recorder: recorder,
                advertisedPortals: portals,
                suspended: { [suspension] in
                    defer { suspension.value = nil }
                    return suspension.value
                },
                onEarlierDeadline: {}
            )
        }

        /// Simulates a resumption of the machine after a suspend.
        func resume(after duration: Duration) {
            suspension.value = duration
            _ = driver.tick()
        }

        /// The events so far, in order.
        func events() -> [Event] {
            guard case .notifications(let notifications) = lines.take() else { return [] }
            return notifications.map(\.content)
        }
    }

    private static func update(isUp: Bool) -> NetworkUpdate {
        let link = Link(
            index: 2,
            name: "eth0",
            flags: isUp ? [.up, .lowerUp] : [.up],
            classification: InterfaceClassification(kind: .wired, evidence: [])
        )
        let snapshot = NetworkSnapshot(
            links: [link],
            addresses: [InterfaceAddress(interfaceIndex: 2, address: source, prefixLength: 24)],
            lookups: [
                RouteLookup(destination: internet, outcome: .route(ResolvedRoute(interfaceIndex: 2, source: source)))
            ],
            internetAddresses: [internet]
        )
        return NetworkUpdate(snapshot: snapshot, changes: [], observed: .now)
    }

    private static func check(_ verdict: CheckVerdict) -> CompletedCheck { .sample(point, verdict) }

    @Test func `checks become the connectivity of the one state`() throws {
        let fixture = try Fixture()
        fixture.driver.handle(.update(Self.update(isUp: true)))
        #expect(fixture.driver.judge(Self.check(.ok)) == .steady)
        let events = fixture.events()
        #expect(events.map(\.type).contains(.probeChanged))
        let last = try #require(events.last { $0.type == .reachabilityChanged })
        #expect(String(decoding: last.line, as: UTF8.self).contains(#""connectivity":"full""#))
    }

    @Test func `a check of a probe that is gone publishes nothing`() throws {
        let fixture = try Fixture()
        fixture.driver.handle(.update(Self.update(isUp: true)))
        let before = fixture.events().count
        var check = Self.check(.ok)
        check.point.probe = "other"
        _ = fixture.driver.judge(check)
        #expect(before > 0)
        #expect(fixture.events().isEmpty)
    }

    @Test func `a check that was in flight during a suspend does not count`() throws {
        let fixture = try Fixture()
        let completed = Fixture.Box(0)
        let publisher = CheckPublisher(
            origin: fixture.driver.origin,
            isWanted: { _ in true },
            send: { _ in completed.value += 1 }
        )
        let runner = ProbeRunner(limits: ScheduleLimits(), usageStore: nil) { _ in .steady }
        fixture.driver.connect(runner: runner, checkPublisher: publisher)
        fixture.driver.handle(.update(Self.update(isUp: true)))
        #expect(fixture.driver.judge(Self.check(.ok)) == .steady)
        let inFlight = Self.check(.failed(.connectRefused, .connect))
        _ = fixture.events()
        fixture.suspension.value = .seconds(30)
        #expect(fixture.driver.judge(inFlight) == .doubtful)
        #expect(!fixture.events().map(\.type).contains(.probeChanged))
        // Nor in the metrics, and for none of those who wait for a check.
        #expect(fixture.driver.metrics.figures(of: [Self.point]).checks[Self.point]?.counts.failed == 0)
        #expect(completed.value == 1)
        #expect(fixture.driver.judge(Self.check(.ok)) == .steady)
        #expect(completed.value == 2)
    }

    @Test func `checks of all are requested without transfers, and those only by name`() throws {
        var settings = Settings()
        var transfer = try ProbeDefinition.adHoc("https://host.test/large", name: "speed")
        transfer.probe.transfer = TransferPlan(downloadBytes: 1000)
        settings.probes = [try ProbeDefinition.adHoc("https://host.test/", name: "web"), transfer]
        let driver = ReachabilityDriver.sample(settings)
        driver.handle(.update(Self.update(isUp: true)))
        #expect(driver.pointsToCheck(of: nil).map(\.probe) == ["web"])
        #expect(driver.pointsToCheck(of: "speed").map(\.probe) == ["speed"])
        #expect(driver.pointsToCheck(of: "other").isEmpty)
    }

    @Test func `the published state has the number of the last event that it shows`() throws {
        let fixture = try Fixture()
        fixture.driver.handle(.update(Self.update(isUp: true)))
        for verdict in [CheckVerdict.ok, .failed(.connectRefused, .connect), .ok] {
            for _ in 0..<3 { _ = fixture.driver.judge(Self.check(verdict)) }
            let published = fixture.driver.published
            #expect(published.published.lastSequence == fixture.bus.lastSequence)
            #expect(published.records.first?.published.verdict == (verdict == .ok ? .up : .down))
        }
    }

    @Test func `the view of a new monitor makes good what the one before it had lost`() throws {
        let fixture = try Fixture()
        defer { withExtendedLifetime(fixture) {} }
        fixture.driver.handle(.update(Self.update(isUp: true)))
        let loss = Overrun(code: .bufferFull, detail: "full", dropped: 7, observed: .now)
        fixture.driver.handle(.overrun(loss))
        _ = fixture.events()
        fixture.driver.handle(.update(Self.update(isUp: false)))
        let events = fixture.events().map { String(decoding: $0.line, as: UTF8.self) }
        #expect(events.first?.contains(#""type":"reachagent.netlink.resynced""#) == true)
        #expect(events.first?.contains(#""code":"link_down""#) == true)
        #expect(events.dropFirst().first?.contains(#""cause":{"kind":"resync""#) == true, "\(events)")
        // It is made good once.
        fixture.driver.handle(.update(Self.update(isUp: true)))
        #expect(!fixture.events().map(\.type).contains(.netlinkResynced))
    }

    @Test func `another resolver only causes rechecks, of the checks that look names up`() throws {
        let bus = NotificationBus<Event>()
        let lines = bus.subscribe(capacity: 1024)
        var settings = Settings()
        settings.settle = .none
        var transfer = try ProbeDefinition.adHoc("https://host.test/large", name: "speed")
        transfer.probe.transfer = TransferPlan(downloadBytes: 1000)
        settings.probes = [
            try ProbeDefinition.adHoc("https://host.test/", name: "web"),
            try ProbeDefinition.adHoc("tcp://192.0.2.1:80", name: "literal"), transfer,
        ]
        let driver = ReachabilityDriver.sample(settings, on: bus)
        driver.recheckNames()
        driver.handle(.update(Self.update(isUp: true)))
        #expect(driver.judge(Self.check(.ok)) == .steady)
        let inFlight = Self.check(.failed(.dnsNXDomain, .resolve))
        _ = lines.take()
        driver.state.withLock { _ = $0.updates.take() }
        driver.recheckNames()
        let updates = driver.state.withLock { $0.updates }
        #expect(updates.rechecks == [Self.point] && !updates.hasNewSchedule && !updates.transfers.isPending)
        #expect(driver.judge(inFlight) == .doubtful)
        #expect(driver.judge(Self.check(.ok)) == .steady)
        guard case .notifications = lines.take() else { return }
        Issue.record("an event was published")
    }

    @Test func `a recording gives the same lines again`() throws {
        let fixture = try Fixture()
        defer { withExtendedLifetime(fixture) {} }
        fixture.driver.handle(.update(Self.update(isUp: true)))
        _ = fixture.driver.judge(Self.check(.ok))
        for _ in 0..<3 { _ = fixture.driver.judge(Self.check(.failed(.connectRefused, .connect))) }
        fixture.driver.handle(.update(Self.update(isUp: false)))
        fixture.resume(after: .seconds(30))
        fixture.driver.handle(.update(Self.update(isUp: true)))
        _ = fixture.driver.judge(Self.check(.ok))
        _ = fixture.driver.tick()
        fixture.driver.finish(because: "the test ends")
        let published = fixture.events().filter { ![.agentStarted, .agentStopping, .probeSummary].contains($0.type) }
        #expect(published.map(\.type).contains(.suspendResumed))

        var replay = RecordingReplay(try RecordingReader(path: fixture.recording))
        let origin = EventOrigin(streamID: "6f1c", host: "edge-7", bootID: nil)
        var replayed: [String] = []
        while let step = try replay.next() {
            var number = step.recorded.sequence ?? 0
            for transition in step.transitions {
                let draft = EventDraft(transition)
                let time = Timestamp(step.recorded.input.observed)
                replayed.append(
                    String(decoding: Event(draft, from: origin, at: time, number: number).line, as: UTF8.self)
                )
                number += 1
            }
        }
        #expect(replayed == published.map { String(decoding: $0.line, as: UTF8.self) })
    }

    @Test func `a replay has the times of transitions that waited for another event`() async throws {
        let fixture = try Fixture()
        defer { withExtendedLifetime(fixture) {} }
        let first = Self.update(isUp: true)
        fixture.driver.handle(.update(first))
        let reload = ConfigurationReload(files: [], added: [], removed: [], changed: [], needsRestart: [])
        fixture.driver.announce(EventDraft(reload))
        let waiting = ObservedTime(
            instant: first.observed.instant,
            microsecondsSince1970: first.observed.microsecondsSince1970 - 1000
        )
        let second = NetworkUpdate(snapshot: Self.update(isUp: false).snapshot, changes: [], observed: waiting)
        fixture.driver.handle(.update(second))
        let driver = fixture.driver
        await onThread { driver.finish(because: "the test ends") }
        let events = fixture.events()
        let reloaded = try #require(events.first { $0.type == .configReloaded })
        let transitions = events.filter { ![.agentStarted, .agentStopping, .configReloaded].contains($0.type) }
        #expect(transitions.last?.time == reloaded.time)
        let command = try await FinishedCommand.run(["replay", fixture.recording])
        #expect(command.lines == transitions.map { String(decoding: $0.line, as: UTF8.self) })
    }

    @Test func `a portal that a network announces becomes a check, even if announced late`() throws {
        let told = Mutex<[NetworkPortal]>([])
        let fixture = try Fixture { _ in told.withLock { $0 } }
        fixture.driver.handle(.update(Self.update(isUp: true)))
        #expect(fixture.driver.plan.probe(named: "portal-api.eth0") == nil)
        told.withLock { $0 = [NetworkPortal(interface: "eth0", isUsed: true, uri: .api("https://portal.test/api"))] }
        fixture.resume(after: .seconds(30))
        #expect(fixture.driver.plan.probe(named: "portal-api.eth0") == "portal-api.eth0")
        #expect(fixture.driver.probes.records.map(\.point.probe) == ["portal-api.eth0", "web"])
    }

    @Test func `a reload that allows it asks the networks for their portals at once`() throws {
        let portal = NetworkPortal(interface: "eth0", isUsed: true, uri: .api("https://portal.test/api"))
        let fixture = try Fixture(asksNetwork: false) { _ in [portal] }
        fixture.driver.handle(.update(Self.update(isUp: true)))
        #expect(fixture.driver.probes.records.map(\.point.probe) == ["web"])
        var settings = fixture.settings
        settings.portal.asksNetwork = true
        let changed = ["portal.ask_network"]
        fixture.driver.configure(
            settings,
            ConfigurationReload(files: [], added: [], removed: [], changed: changed, needsRestart: [])
        )
        #expect(fixture.driver.probes.records.map(\.point.probe) == ["portal-api.eth0", "web"])
    }

    @Test func `the end of an announcement is recorded as one, and not as a reload`() throws {
        let told = Mutex([NetworkPortal(interface: "eth0", isUsed: true, uri: .api("https://portal.test/api"))])
        let fixture = try Fixture { _ in told.withLock { $0 } }
        defer { withExtendedLifetime(fixture) {} }
        fixture.driver.handle(.update(Self.update(isUp: true)))
        told.withLock { $0 = [] }
        fixture.resume(after: .seconds(30))
        #expect(fixture.driver.probes.records.map(\.point.probe) == ["web"])
        fixture.driver.finish(because: "the test ends")
        var replay = RecordingReplay(try RecordingReader(path: fixture.recording))
        var configurations: [String] = []
        while let step = try replay.next() {
            switch step.recorded.input {
            case .configuration: configurations.append("reload")
            case .announcement: configurations.append("announcement")
            case .update, .sample, .tick, .resumed: break
            }
        }
        #expect(configurations == ["reload", "announcement", "announcement"])
    }

    @Test func `times never run backwards against the numbers, at a start, at a resume or when a message waited`()
        throws
    {
        let fixture = try Fixture()
        let (first, second, third) = (Self.update(isUp: true), Self.update(isUp: false), Self.update(isUp: true))
        fixture.driver.handle(.update(first))
        fixture.resume(after: .seconds(30))
        fixture.driver.handle(.update(second))
        fixture.suspension.value = .seconds(60)
        fixture.driver.handle(.update(third))
        let events = fixture.events()
        #expect(events.first?.type == .agentStarted)
        #expect(events.first?.time == Timestamp(first.observed))
        #expect(events.filter { $0.type == .suspendResumed }.count == 2)
        let times = events.map(\.time.microsecondsSince1970)
        #expect(times == times.sorted())
    }

    @Test func `a restarted monitor's first changes have its new configuration as the cause`() throws {
        let fixture = try Fixture()
        fixture.driver.handle(.update(Self.update(isUp: true)))
        fixture.driver.handle(.update(Self.update(isUp: false)))
        let changed = try #require(fixture.events().last { $0.type == .pathChanged })
        let line = String(decoding: changed.line, as: UTF8.self)
        #expect(line.contains(#""cause":{"kind":"configuration","code":"config_reloaded","interface":"eth0"}"#))
    }
}
