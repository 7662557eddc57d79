import NetlinkMonitor
import Testing

@testable import Reachability

/// The whole machine: views and time in, transitions out.
struct ReachabilityMachineTests {
    private let start = ContinuousClock.now
    private let office = Target(name: "office", address: PathDerivationTests.address("203.0.113.7"))

    /// A view in which the Internet is reached through one link.
    private func view(_ kind: InterfaceKind?, isUp: Bool = true, office: Bool = false) -> NetworkSnapshot {
        let internet = PathDerivationTests.Case.internet
        let source = PathDerivationTests.Case.source
        let route = RouteLookup.Outcome.route(ResolvedRoute(interfaceIndex: 3, source: source))
        let outcome = kind == nil ? .refused(.noRoute) : route
        let link = Link(
            index: 3,
            name: "if0",
            flags: isUp ? [.up, .lowerUp] : [.up],
            classification: InterfaceClassification(kind: kind ?? .wired, evidence: [])
        )
        return NetworkSnapshot(
            links: [link],
            addresses: [InterfaceAddress(interfaceIndex: 3, address: source, prefixLength: 24)],
            lookups: [
                RouteLookup(destination: internet, outcome: outcome),
                RouteLookup(destination: self.office.address, outcome: office ? route : .refused(.noRoute)),
            ],
            internetAddresses: [internet]
        )
    }

    private func update(
        _ snapshot: NetworkSnapshot,
        at milliseconds: Int,
        since old: NetworkSnapshot? = nil
    ) -> NetworkUpdate {
        let instant = start.advanced(by: .milliseconds(milliseconds))
        return NetworkUpdate(
            snapshot: snapshot,
            changes: old.map { snapshot.diff(from: $0) } ?? [],
            observed: Observed(instant: instant, microsecondsSince1970: Int64(milliseconds) * 1000)
        )
    }

    /// A transition in a few words.
    private func words(_ transitions: [Transition]) -> [String] {
        transitions.map { transition in
            switch transition {
            case .path(let change): "path \(change.from.via)→\(change.to.via) \(change.cause.code)"
            case .reachability(let change): "reachability \(change.from.via)→\(change.to.via) \(change.cause.code)"
            case .targetPath(let target, let change): "path \(target.name) \(change.from.via)→\(change.to.via)"
            case .target(let target, let change): "target \(target.name) \(change.from.via)→\(change.to.via)"
            case .uplink(let change): "uplink \(change.to.interface.name)"
            case .probe(let point, let change): "probe \(point) \(change.from.verdict)→\(change.to.verdict)"
            case .certificate(let expiry): "certificate \(expiry.probe) \(expiry.threshold)"
            case .resumed(let suspended, _): "resumed after \(suspended)"
            }
        }
    }

    @Test(
        "a state that has held long enough is published although the next message comes before the timer",
        arguments: [(1999, false), (2000, true), (2300, true)]
    )
    func overdue(_ milliseconds: Int, isPublished: Bool) {
        var machine = ReachabilityMachine()
        let (up, down) = (view(.wifi), view(nil))
        _ = machine.handle(update(up, at: 0))
        #expect(words(machine.handle(update(down, at: 1000, since: up))) == ["path wifi→none kind_changed"])
        let transitions = words(machine.handle(update(up, at: milliseconds, since: down)))
        let settled = isPublished ? ["reachability wifi→none kind_changed"] : []
        #expect(transitions == settled + ["path none→wifi kind_changed"])
        #expect(machine.state.via == (isPublished ? .none : .wifi))
    }

    @Test("nothing is known or published before the first view")
    func unknown() {
        var machine = ReachabilityMachine()
        #expect(machine.state.via == .unknown)
        #expect(machine.deadline == nil)
        #expect(machine.tick(at: start).isEmpty)
    }

    @Test(
        "the first view is published at once, from unknown, with or without a path",
        arguments: [nil, InterfaceKind.wifi]
    )
    func first(_ kind: InterfaceKind?) {
        var machine = ReachabilityMachine()
        let via = kind == nil ? "none" : "wifi"
        #expect(
            words(machine.handle(update(view(kind), at: 0))) == [
                "path unknown→\(via) initial", "reachability unknown→\(via) initial",
            ]
        )
        #expect(machine.deadline == nil)
    }

    @Test("an edge is published at once, and as settled when it has held, with the link as the cause")
    func loss() throws {
        var machine = ReachabilityMachine()
        _ = machine.handle(update(view(.wifi), at: 0))
        let lost = machine.handle(update(view(.wifi, isUp: false), at: 100, since: view(.wifi)))
        #expect(words(lost) == ["path wifi→none link_down"])
        let deadline = try #require(machine.deadline)
        #expect(start.duration(to: deadline) == .milliseconds(1100))
        #expect(machine.tick(at: deadline.advanced(by: .milliseconds(-1))).isEmpty)
        #expect(words(machine.tick(at: deadline)) == ["reachability wifi→none link_down"])
        #expect(machine.state.via == .none)
        #expect(machine.deadline == nil)
    }

    @Test("a roam shorter than the settle time is published as two edges and no loss")
    func roam() {
        var machine = ReachabilityMachine()
        _ = machine.handle(update(view(.wifi), at: 0))
        let down = view(.wifi, isUp: false)
        #expect(words(machine.handle(update(down, at: 100, since: view(.wifi)))) == ["path wifi→none link_down"])
        #expect(words(machine.handle(update(view(.wifi), at: 185, since: down))) == ["path none→wifi link_up"])
        #expect(machine.tick(at: start.advanced(by: .seconds(10))).isEmpty)
        #expect(machine.state.via == .wifi)
    }

    @Test("targets settle independently, and an unchanged default publishes nothing")
    func targets() throws {
        var machine = ReachabilityMachine(settle: .standard, targets: [office])
        _ = machine.handle(update(view(.wifi), at: 0))
        let reached = view(.wifi, office: true)
        #expect(words(machine.handle(update(reached, at: 50, since: view(.wifi)))) == ["path office none→wifi"])
        let deadline = try #require(machine.deadline)
        #expect(words(machine.tick(at: deadline)) == ["target office none→wifi"])
        #expect(machine.targetPaths.first?.state.via == .wifi)
    }

    /// A view in which a tunnel leads to the office, over an interface with this index and name.
    private func tunnelled(over carrier: UInt32, _ name: String) -> NetworkSnapshot {
        let source = PathDerivationTests.Case.source
        let links = [(7, "wg0", InterfaceKind.tunnel), (carrier, name, .wwan)].map { index, name, kind in
            Link(
                index: index,
                name: name,
                flags: [.up, .lowerUp],
                classification: InterfaceClassification(kind: kind, evidence: [])
            )
        }
        let route = ResolvedRoute(interfaceIndex: 7, source: source)
        return NetworkSnapshot(
            links: links,
            addresses: [7, carrier].map { InterfaceAddress(interfaceIndex: $0, address: source, prefixLength: 24) },
            lookups: [RouteLookup(destination: office.address, outcome: .route(route))],
            underlays: [7: Underlay(interfaceIndex: carrier, evidence: .lowerDevice)]
        )
    }

    @Test(
        "a target whose tunnel is carried by another interface has changed where events show that",
        arguments: [("usb0", []), ("usb1", ["path office wwan→wwan", "target office wwan→wwan"])]
    )
    func carrierOfTarget(_ name: String, expected: [String]) throws {
        var machine = ReachabilityMachine(settle: .standard, targets: [office])
        let before = tunnelled(over: 3, "usb0")
        _ = machine.handle(update(before, at: 0))
        try #require(machine.targetPaths.first?.state.path.underlay?.interface?.index == 3)
        let after = tunnelled(over: 9, name)
        let raw = machine.handle(update(after, at: 5000, since: before))
        let settled = machine.tick(at: start.advanced(by: .seconds(20)))
        #expect(words(raw + settled) == expected)
        #expect(machine.targetPaths.first?.state.path.underlay?.interface?.index == 9)
    }

    @Test("a change found by a resynchronization has it as the cause")
    func correction() throws {
        var machine = ReachabilityMachine(settle: .none)
        _ = machine.handle(update(view(.wifi), at: 0))
        let lost = machine.handle(update(view(nil), at: 10, since: view(.wifi)), isCorrection: true)
        guard case .path(let change) = try #require(lost.first) else {
            Issue.record("the first transition is the path's")
            return
        }
        #expect(change.cause.kind == .resync)
    }

    @Test("IPv4 represents both families if usable, else IPv6; of two losses, the more informative one counts")
    func families() {
        let wifi = Path(via: .wifi)
        let wwan = Path(via: .wwan)
        let noRoute = Path(via: .none, reason: .noRoute)
        let tentative = Path(via: .none, reason: .addressTentative)
        #expect(ReachabilityState(ipv4: wifi, ipv6: wwan).via == .wifi)
        #expect(ReachabilityState(ipv4: noRoute, ipv6: wwan).via == .wwan)
        #expect(ReachabilityState(ipv4: noRoute, ipv6: tentative).path.reason == .addressTentative)
        #expect(ReachabilityState(ipv4: noRoute, ipv6: noRoute).path.reason == .noRoute)
    }
}
