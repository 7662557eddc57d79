import AgentTestKit
import Availability
import Configuration
import Dispatch
import Glibc
import NetlinkMonitor
import NotificationBus
import Probes
import Reachability
import Synchronization
import Testing

import struct AgentEvents.Event
import struct AgentEvents.EventDraft
import struct AgentEvents.EventOrigin
import struct AgentEvents.JournalDegraded
import struct AgentEvents.SettledStates
import struct AgentEvents.SinkLoss
import struct AgentEvents.Timestamp
import struct AgentEvents.Via

@testable import EventJournal
@testable import ReachAgent

/// The settled states in the events about a journal that lacks others.
@Suite struct MissingEventsTests {
    private static let point = ProbePoint(probe: "web", vantage: Vantage(families: .ipv4))

    private static func settings(probes: [String] = ["web"]) throws -> Settings {
        var settings = Settings()
        settings.settle = .none
        settings.probes = try probes.map { try ProbeDefinition.adHoc("https://host.test/", name: $0) }
        return settings
    }

    private static func update(isUp: Bool, gateway: String? = nil) throws -> NetworkUpdate {
        let (internet, source) = (IPAddress("198.41.0.4"), IPAddress("192.0.2.7"))
        let (destination, address) = (try #require(internet), try #require(source))
        let link = Link(
            index: 2,
            name: "eth0",
            flags: isUp ? [.up, .lowerUp] : [.up],
            classification: InterfaceClassification(kind: .wired, evidence: [])
        )
        let route = ResolvedRoute(interfaceIndex: 2, gateway: gateway.flatMap { IPAddress($0) }, source: address)
        let snapshot = NetworkSnapshot(
            links: [link],
            addresses: [InterfaceAddress(interfaceIndex: 2, address: address, prefixLength: 24)],
            lookups: [RouteLookup(destination: destination, outcome: .route(route))],
            internetAddresses: [destination]
        )
        return NetworkUpdate(snapshot: snapshot, changes: [], observed: .now)
    }

    private static func change(_ code: String, missing: ClosedRange<UInt64>? = nil) -> JournalDegraded {
        JournalDegraded(
            isDegraded: missing == nil,
            code: code,
            missingFirstSequence: missing?.lowerBound,
            missingLastSequence: missing?.upperBound
        )
    }

    private static func journalChanges(_ events: [Event]) -> [JournalDegraded] {
        events.compactMap { event in
            guard case .journalDegraded(let change) = event.value.content else { return nil }
            return change
        }
    }

    private static func taken(_ subscription: Subscription<Event>) -> [Event] {
        guard case .notifications(let notifications) = subscription.take() else { return [] }
        return notifications.map(\.content)
    }

    @Test func `an event about missing ones has the settled states, and no other event has`() throws {
        let bus = NotificationBus<Event>()
        let events = bus.subscribe(capacity: 1024)
        let driver = ReachabilityDriver.sample(try Self.settings(), on: bus)
        // Nothing has settled before the agent's first event.
        driver.announce(Self.change("journal_lease_found", missing: 1...9))
        driver.handle(.update(try Self.update(isUp: true)))
        _ = driver.judge(.sample(Self.point, .ok))
        let start = Self.taken(events)
        #expect(start.prefix(2).map(\.type) == [.agentStarted, .journalDegraded])
        #expect(Self.journalChanges(start).map(\.settled) == [nil])

        driver.announce(Self.change("journal_write_failed"))
        driver.announce(Self.change("journal_resumed", missing: 1...9))
        let later = Self.taken(events)
        #expect(later.map(\.type) == [.journalDegraded, .journalDegraded])
        let states = Self.journalChanges(later).map(\.settled)
        #expect(states.first == .some(nil))
        let settled = try #require(states.last ?? nil)
        let last = try #require(start.last { $0.type == .reachabilityChanged })
        guard case .reachabilityChanged(let change) = last.value.content else {
            Issue.record("\(last.value.content)")
            return
        }
        #expect(settled.state == change.to)
        #expect(settled.state.connectivity == .full)
        #expect(settled.probes.map(\.point.probe) == ["web"])
        #expect(settled.probes.map(\.verdict.verdict) == ["up"])
        #expect(settled.omitted == nil)
    }

    @Test(arguments: [(isUp: true, gateway: "192.0.2.2"), (isUp: false, gateway: "192.0.2.1")])
    func `a verdict stands until an event ends it, though its path has changed or is gone`(
        isUp: Bool,
        gateway: String
    ) throws {
        var settings = try Self.settings()
        settings.settle = .standard
        var machine = ReachabilityMachine(ConnectivityPlan(settings).machineConfiguration)
        _ = machine.handle(try Self.update(isUp: true, gateway: "192.0.2.1"))
        _ = machine.handle(ProbeSample(point: Self.point, outcome: .ok, observed: .now))
        let transitions = machine.handle(try Self.update(isUp: isUp, gateway: gateway))
        #expect(!transitions.contains { if case .probe = $0 { true } else { false } })
        let states = SettledStates(machine).probes.filter { $0.point.probe == "web" }
        #expect(states.map(\.verdict.verdict) == ["up"])
        #expect(states.map(\.isStale) == [true])
    }

    @Test func `the states of many probes are as many as a fleet reads`() throws {
        let names = (0..<1000).map { "probe-with-a-rather-long-name-\($0)" }
        var machine = ReachabilityMachine(ConnectivityPlan(try Self.settings(probes: names)).machineConfiguration)
        _ = machine.handle(try Self.update(isUp: true))
        let settled = SettledStates(machine)
        let omitted = try #require(settled.omitted)
        #expect(settled.probes.count + omitted == machine.probes.count)
        var change = Self.change("journal_resumed", missing: 1...9)
        change.settled = settled
        let origin = EventOrigin(streamID: "6f1c", host: "edge-7", bootID: nil)
        #expect(Event(EventDraft(change), from: origin, at: .now, number: 42).line.count < 64 << 10)
    }

    @Test func `after a full disk a report knows the state, though the change to it is missing`() async throws {
        let temporary = try TemporaryDirectory()
        let disk = Disk()
        let journal = try EventJournal(
            opening: .init(directory: "\(temporary.path)/journal", sync: .never),
            now: { .now },
            system: disk.system
        )
        let bus = NotificationBus<Event>(firstSequence: journal.nextSequence)
        let driver = ReachabilityDriver.sample(try Self.settings(), on: bus)
        let recorder = JournalRecorder(recording: bus, in: journal) { driver.announce(JournalDegraded($0)) }
        try recorder.start()
        let delivered = DispatchSemaphore(value: 0)
        let events = bus.subscribe(capacity: 10_000) { delivered.signal() }
        /// Takes events, which are delivered once the recorder has handled them, until one is the wanted one.
        func take(until isWanted: @Sendable (Event) -> Bool) async -> [Event] {
            await onThread {
                var seen: [Event] = []
                while !seen.contains(where: isWanted), delivered.wait(timeout: .now() + 30) == .success {
                    seen += Self.taken(events)
                }
                return seen
            }
        }

        driver.handle(.update(try Self.update(isUp: true)))
        _ = driver.judge(.sample(Self.point, .ok))
        let recorded = bus.lastSequence
        _ = await take { $0.sequence == recorded }
        disk.with { $0.isFull = true }
        driver.handle(.update(try Self.update(isUp: false)))
        // More than memory holds: the change is among those that are dropped.
        for number in 1...5000 as ClosedRange<UInt64> {
            driver.announce(EventDraft(SinkLoss(sink: "hq", firstSequence: number, lastSequence: number)))
        }
        let last = bus.lastSequence
        let whileFull = Self.journalChanges(await take { $0.sequence == last })
        #expect(whileFull.allSatisfy { $0.isDegraded && $0.settled == nil })
        disk.with { disk in
            disk.isFull = false
            // The writer's next attempt is due.
            disk.elapsed = .seconds(60)
        }
        driver.announce(EventDraft(SinkLoss(sink: "hq", firstSequence: 1, lastSequence: 1)))
        let resumed = Self.journalChanges(await take { Self.journalChanges([$0]).contains { !$0.isDegraded } })
        #expect(resumed.last?.code == "journal_resumed")
        #expect(try #require(resumed.last?.missingFirstSequence) <= recorded + 2)
        #expect(resumed.last?.settled?.state.via == AgentEvents.Via.none)

        let now = Timestamp.now.microsecondsSince1970
        let window = try #require(
            Window(
                from: Timestamp(microsecondsSince1970: now - 3_600_000_000),
                to: Timestamp(microsecondsSince1970: now + 3_600_000_000),
                in: .utc
            )
        )
        driver.finish(because: "the test ends")
        #expect(await onThread { recorder.finish(within: .seconds(30)) })
        let reported = ReportedJournal(path: journal.configuration.directory, showsProgress: false)
        let path = try #require(try reported.account(of: window).subjects.first)
        #expect(path.outages.map(\.attribution.code) == ["link_down"])
        #expect(path.tally[.none] > 0)
        // The states cause no further event.
        #expect(Self.taken(events).map(\.type) == [.probeSummary, .agentStopping])
    }

    /// A disk that is full when a test wants it, and a clock that a test sets forward.
    private final class Disk: Sendable {
        struct State: Sendable {
            var isFull = false
            var elapsed: Duration = .zero
        }

        private let state = Mutex(State())

        func with<Value: Sendable>(_ body: @Sendable (inout State) -> Value) -> Value { state.withLock { body(&$0) } }

        var system: JournalSystem {
            var system = JournalSystem.real
            system.write = { [self] descriptor, bytes in
                with { $0.isFull } ? -Int(ENOSPC) : JournalSystem.real.write(descriptor, bytes)
            }
            system.now = { [self] in .now.advanced(by: with { $0.elapsed }) }
            return system
        }
    }
}
