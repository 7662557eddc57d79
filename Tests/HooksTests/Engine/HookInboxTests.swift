import AgentEvents
import Testing

@testable import Hooks

@Suite
struct HookInboxTests {
    private let now = SuspendingClock.Instant.now

    private func settings(_ types: EventType..., directories: [String] = []) -> HookSettings {
        let action = HookDefinition.Action.command(HookCommand(arguments: ["true"]))
        return HookSettings(
            directories: directories,
            definitions: types.map { HookDefinition(name: "\($0)", action: action, trigger: HookTrigger(types: [$0])) }
        )
    }

    /// Takes all: the numbers of the events, and 0 for settings.
    private func take(_ inbox: inout HookInbox) -> [UInt64] { numbers(inbox.takeAll().items) }

    private func deliver(_ event: Event, to inbox: inout HookInbox) -> Bool { inbox.deliver(event, at: now) }

    private func numbers(_ items: [HookInbox.Item]) -> [UInt64] {
        items.map { item in
            switch item {
            case .event(let event, _): event.sequence ?? .max
            case .settings: 0
            }
        }
    }

    @Test
    func `events and settings are taken in the order of their arrival`() {
        var inbox = HookInbox()
        inbox.configure(settings(.reachabilityChanged))
        for number in 1...3 as ClosedRange<UInt64> {
            #expect(deliver(SampleEvent.reachability(number), to: &inbox))
        }
        inbox.configure(settings(.probeChanged))
        inbox.configure(settings(.probeChanged))
        #expect(deliver(SampleEvent.probe("web", 4), to: &inbox))
        #expect(take(&inbox) == [0, 1, 2, 3, 0, 0, 4])
        #expect(take(&inbox).isEmpty)
        #expect(deliver(SampleEvent.probe("web", 5), to: &inbox))
        inbox.configure(settings())
        #expect(take(&inbox) == [5, 0])
    }

    @Test
    func `only events that a hook may use are kept, from the first settings on`() {
        var inbox = HookInbox()
        #expect(!deliver(SampleEvent.reachability(1), to: &inbox))
        inbox.configure(settings(.probeChanged))
        #expect(!deliver(SampleEvent.reachability(2), to: &inbox))
        inbox.configure(settings(directories: ["/nowhere"]))
        #expect(deliver(SampleEvent.reachability(3), to: &inbox))
        #expect(!deliver(SampleEvent.probe("web", 4), to: &inbox))
        #expect(take(&inbox) == [0, 0, 3])
    }

    @Test
    func `after a webhook was removed changes of the path are kept, because its run may wait for one`() throws {
        var inbox = HookInbox()
        let webhook = HookDefinition(
            name: "chat",
            action: .webhook(try WebhookBench.webhook("http://127.0.0.1/hook")),
            trigger: HookTrigger(types: [.probeChanged])
        )
        inbox.configure(HookSettings(definitions: [webhook]))
        #expect(deliver(SampleEvent.reachability(1), to: &inbox))
        inbox.configure(settings(.probeChanged))
        #expect(deliver(SampleEvent.reachability(2), to: &inbox))
        #expect(take(&inbox) == [0, 1, 0, 2])
    }

    @Test
    func `too many events cost the oldest, never the newest nor settings`() {
        var inbox = HookInbox()
        inbox.configure(settings(.reachabilityChanged, .probeChanged))
        _ = deliver(SampleEvent.probe("web", 1), to: &inbox)
        inbox.configure(settings(.reachabilityChanged))
        let most = UInt64(HookInbox.maximumEvents)
        for number in 2...most + 10 { _ = deliver(SampleEvent.reachability(number), to: &inbox) }
        let taken = inbox.takeAll()
        #expect(numbers(taken.items) == [0, 0] + Array(11...most + 10))
        #expect(taken.lost == [.probeChanged: 1, .reachabilityChanged: 9])
        let again = inbox.takeAll()
        #expect(again.lost.isEmpty)
    }

    @Test
    func `settings are delivered with the last state before them`() {
        var inbox = HookInbox()
        _ = deliver(SampleEvent.reachability(1), to: &inbox)
        _ = deliver(SampleEvent.reachability(2), to: &inbox)
        inbox.configure(settings(.reachabilityChanged))
        _ = deliver(SampleEvent.reachability(3), to: &inbox)
        guard case .settings(_, let last)? = inbox.takeAll().items.first else {
            Issue.record("no settings")
            return
        }
        #expect(last.events(of: [.reachabilityChanged]).map(\.sequence) == [2])
    }
}

@Suite
struct LastEventsTests {
    @Test
    func `targets and probes that do not exist any more have no state`() {
        var last = LastEvents()
        last.note(SampleEvent.reachability(1))
        last.note(SampleEvent.plain(.pathChanged, subject: "default", 2))
        for (number, name) in zip(UInt64(3)..., ["office", "gone"]) {
            last.note(SampleEvent.target(.pathChanged, name, address: "192.0.2.1", number))
        }
        for (number, name) in zip(UInt64(5)..., ["office", "gone"]) {
            last.note(SampleEvent.target(.targetChanged, name, address: "192.0.2.1", number))
        }
        last.note(SampleEvent.probe("web", 7))
        // The event with which a removed probe ends is its newest.
        last.note(SampleEvent.probe(at: ProbePoint(probe: "gone", interface: "eth0"), 8))
        last.keep(HookSubjects(targets: ["office": "192.0.2.1"], probes: ["web"]))
        #expect(last.events(of: LastEvents.types).map(\.sequence) == [1, 2, 3, 5, 7])
    }

    @Test(arguments: [("192.0.2.1", [1, 2]), ("2001:db8::1", [])] as [(String, [UInt64?])])
    func `a target that has another address now has no state`(address: String, kept: [UInt64?]) {
        var last = LastEvents()
        last.note(SampleEvent.target(.pathChanged, "office", address: "192.0.2.1", 1))
        last.note(SampleEvent.target(.targetChanged, "office", address: "192.0.2.1", 2))
        last.keep(HookSubjects(targets: ["office": address], probes: []))
        #expect(last.events(of: LastEvents.types).map(\.sequence) == kept)
    }

    @Test
    func `the newest of each subject is remembered, in order`() {
        var last = LastEvents()
        last.note(SampleEvent.reachability(1))
        last.note(SampleEvent.probe("web", 2))
        last.note(SampleEvent.probe("dns", 3))
        last.note(SampleEvent.probe("web", 4))
        last.note(SampleEvent.plain(.agentStarted, 5))
        #expect(last.events(of: [.probeChanged]).map(\.sequence) == [3, 4])
        #expect(last.events(of: LastEvents.types).map(\.sequence) == [1, 3, 4])
        #expect(last.events(of: [.agentStarted]).isEmpty)
    }

    @Test
    func `a probe has a state for each interface and family`() {
        var last = LastEvents()
        let points = [nil, "eth0", "wlan0"].flatMap { interface in
            ["ipv4", "ipv6"].map { ProbePoint(probe: "web", interface: interface, family: $0) }
        }
        for (number, point) in zip(1..., points + points.suffix(2)) {
            last.note(SampleEvent.probe(at: point, UInt64(number)))
        }
        #expect(last.events(of: [.probeChanged]).map(\.sequence) == [1, 2, 3, 4, 7, 8])
    }

    @Test
    func `no number of probes makes the default path's state or a target's forgotten`() {
        var last = LastEvents()
        last.note(SampleEvent.reachability(1))
        last.note(SampleEvent.plain(.targetChanged, 2))
        for number in 3...UInt64(LastEvents.maximumEvents + 100) {
            last.note(SampleEvent.probe("p\(number)", number))
        }
        #expect(last.count == LastEvents.maximumEvents)
        #expect(last.events(of: [.reachabilityChanged, .targetChanged]).map(\.sequence) == [1, 2])
    }

    @Test
    func `with too many subjects the one is forgotten that was silent for the longest time`() {
        var last = LastEvents()
        last.note(SampleEvent.reachability(1))
        for number in 2...UInt64(LastEvents.maximumEvents) { last.note(SampleEvent.probe("p\(number)", number)) }
        last.note(SampleEvent.reachability(5000))
        last.note(SampleEvent.probe("one more", 5001))
        #expect(last.count == LastEvents.maximumEvents)
        #expect(last.events(of: [.reachabilityChanged]).map(\.sequence) == [5000])
        #expect(last.events(of: [.probeChanged]).first?.sequence == 3)
    }
}
