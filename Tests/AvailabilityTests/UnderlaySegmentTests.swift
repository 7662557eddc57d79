import AgentEvents
import Availability
import Testing

/// The attribution of the loss of a tunnel whose underlay is lost.
@Suite
struct UnderlaySegmentTests {
    private typealias Append = @Sendable (inout Journal) -> Void

    /// A tunnel without a path because of its underlay.
    private static func lost(over interface: String?, _ kind: String?) -> ReachabilityState {
        var state = Journal.path(.none, reason: "underlay_down", kind: "tunnel")
        state.path.overall.underlay = .init(interface: interface, kind: kind, evidence: "remote_route")
        return state
    }

    /// Returns the accounts of a tunnel that is lost at 10 s, with what comes before and after that.
    private static func accounts(
        over interface: String?,
        _ kind: String?,
        before: Append = { _ in },
        after: Append = { _ in }
    ) throws -> [SubjectAccount] {
        var journal = Journal()
        journal.start(at: 0)
        journal.path(at: 1, from: Journal.path(.unknown), to: Journal.path(.full, kind: "tunnel"))
        before(&journal)
        journal.path(at: 10, from: Journal.path(.full, kind: "tunnel"), to: lost(over: interface, kind))
        after(&journal)
        journal.other(at: 60)
        return journal.account(try Journal.window(0, 60)).subjects
    }

    private static let certain: [(interface: String?, kind: String?)] = [
        // The tunnel's own packets have no route.
        (nil, nil), ("eth0", "wired"), ("br0", "bridge"), ("vx0", "tunnel"),
    ]

    @Test(arguments: certain.indices)
    func `an underlay that is neither a Wi-Fi nor a modem is this machine's, whatever it lacks`(_ number: Int) throws {
        let (interface, kind) = Self.certain[number]
        let outage = try Self.accounts(over: interface, kind).first?.outages.first
        #expect(outage?.attribution.segment == .machine)
        #expect(outage?.attribution.code == "underlay_down")
        #expect(outage?.attribution.missing == [])
    }

    private static let uplinks: [(interface: String, to: Connectivity, reason: String, segment: Segment)] = [
        ("wlan0", .none, "link_down", .wifi), ("wlan0", .none, "link_dormant", .wifi),
        ("wlan0", .none, "no_address", .machine),
        // An uplink without a default route says nothing about its link, and another uplink nothing at all.
        ("wlan0", .none, "no_route", .undetermined), ("wwan0", .none, "link_down", .undetermined),
        ("wlan0", .local, "connect_timeout", .undetermined),
    ]

    @Test(arguments: uplinks.indices, [true, false])
    func `the state of a Wi-Fi as an uplink says whether its link was lost, before or after the tunnel`(
        _ number: Int,
        _ isBefore: Bool
    ) throws {
        let (interface, to, reason, segment) = Self.uplinks[number]
        let uplink: Append = { $0.uplink(interface, at: isBefore ? 9 : 11, from: .full, to: to, reason: reason) }
        let outage = try Self.accounts(
            over: "wlan0",
            "wifi",
            before: isBefore ? uplink : { _ in },
            after: isBefore ? { _ in } : uplink
        ).first?.outages.first
        #expect(outage?.attribution.segment == segment)
        #expect(outage?.attribution.code == "underlay_down")
        #expect(outage?.attribution.missing == (segment == .undetermined ? [.reason] : []))
        let evidence = outage?.attribution.evidence.last
        #expect((evidence?.subject == "wlan0" && evidence?.code == reason) == (segment != .undetermined))
    }

    @Test
    func `a modem's link is the modem, and without an event of it the segment is undetermined`() throws {
        let outage = try Self.accounts(
            over: "wwan0",
            "wwan",
            after: { $0.uplink("wwan0", at: 11, from: .full, to: .none, reason: "link_down") }
        ).first?.outages.first
        #expect(outage?.attribution.segment == .modem)
        #expect(try Self.accounts(over: "wwan0", "wwan").first?.outages.first?.attribution.missing == [.reason])
    }

    @Test
    func `a tunnel whose routes go after its Wi-Fi was lost with the Wi-Fi`() throws {
        let outage = try Self.accounts(
            over: "wlan0",
            "wifi",
            after: {
                $0.uplink("wlan0", at: 11, from: .full, to: .none, reason: "link_down")
                $0.path(at: 20, from: Self.lost(over: "wlan0", "wifi"), to: Journal.path(.none, reason: "no_route"))
            }
        ).first?.outages.first
        #expect(outage?.attribution.segment == .wifi)
    }

    @Test(arguments: [("tunnel0", Segment.machine), ("vx1", .undetermined)])
    func `a tunnel as an uplink has the underlay of the path that it lost, and another tunnel has not`(
        _ tunnel: String,
        _ segment: Segment
    ) throws {
        let uplink = try Self.accounts(
            over: "eth0",
            "wired",
            after: { $0.uplink(tunnel, at: 10, from: .unknown, to: .none, reason: "underlay_down") }
        ).first { $0.subject.kind == .uplink }
        #expect(uplink?.outages.first?.attribution.segment == segment)
    }
}
