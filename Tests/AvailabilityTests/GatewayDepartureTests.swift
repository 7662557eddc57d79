import AgentEvents
import Availability
import Testing

/// The attribution of silences after a gateway has gone whose check was pending or unclear.
@Suite
struct GatewayDepartureTests {
    private typealias Append = @Sendable (inout Journal) -> Void

    /// A state with a path of each family, or the reason for the lack of one in IPv4.
    private static func state(_ connectivity: Connectivity, ipv4 reason: String? = nil) -> ReachabilityState {
        var state = Journal.path(connectivity)
        let path = Path(via: .wifi, interface: "wifi0", kind: "wifi")
        state.path.ipv4 = reason.map { Path(via: .none, reason: $0) } ?? path
        state.path.ipv6 = path
        return state
    }

    /// Ends the verdict on a probe at -90 s.
    private static func end(
        _ probe: String,
        over interface: String? = nil,
        family: String? = nil,
        code: String? = nil,
        cause: (kind: String, code: String)
    ) -> Append {
        {
            $0.probe(
                probe,
                over: interface,
                family: family,
                at: -90,
                from: probe == "web" ? "up" : "unknown",
                to: "unknown",
                code: code,
                cause: cause.code,
                kind: cause.kind
            )
        }
    }

    private static let removal = (kind: "route", code: "no_route")

    /// The events behind the end of the verdict on the IPv4 gateway at -100 s; true if they prove that the gateway is gone.
    private static let events: [(isProof: Bool, append: Append)] = [
        (true, end("first-hop", over: "wifi0", family: "ipv4", cause: removal)),
        // What journals of agents that published no end of a pending check have.
        (true, { $0.uplink("wifi0", at: -90, from: .local, to: .none, reason: "no_route") }),
        (true, { $0.uplink("wifi0", at: -90, from: .local, to: .none, reason: "link_down") }),
        (true, { $0.path(at: -90, from: state(.full), to: state(.full, ipv4: "no_route")) }),
        (true, end("web", over: "wifi0", family: "ipv4", cause: removal)),
        (true, end("web", over: "wifi0", cause: removal)),
        // Nothing, another interface, another family, or another cause.
        (false, { _ in }), (false, { $0.uplink("wlan1", at: -90, from: .local, to: .none, reason: "no_route") }),
        (false, { $0.uplink("wifi0", at: -90, from: .full, to: .local, reason: "connect_timeout") }),
        (false, { $0.path(at: -90, from: state(.full), to: state(.full, ipv4: "route_unreachable")) }),
        (false, end("web", family: "ipv4", cause: removal)),
        (false, end("web", over: "wifi0", family: "ipv6", cause: removal)),
        (false, end("web", over: "wifi0", family: "ipv4", cause: ("configuration", "config_reloaded"))),
        // A check that found no route is not the end of its point.
        (false, end("web", over: "wifi0", family: "ipv4", code: "no_route", cause: ("probe", "no_route"))),
    ]

    /// Returns the segment of a silence from 10 s on, long before which the IPv6 gateway was found silent: it is at fault
    /// unless that of IPv4 may answer.
    private static func segment(code: String?, from second: Int64 = -100, _ append: Append) throws -> Segment {
        var journal = Journal()
        journal.start(at: -6000)
        journal.path(at: -5999, from: Journal.path(.unknown), to: state(.full))
        journal.probe("first-hop", over: "wifi0", family: "ipv4", at: -5999, from: "unknown", to: "up")
        journal.probe("first-hop", over: "wifi0", family: "ipv6", at: -5000, from: "unknown", to: "down")
        if second < -90 { journal.doubt(code, at: second) }
        append(&journal)
        if second > -90 { journal.doubt(code, at: second) }
        journal.path(at: 10, from: state(.full), to: Journal.path(.local, reason: "connect_timeout"))
        journal.other(at: 500)
        let account = journal.account(try Journal.window(0, 500))
        return try #require(account.subjects.first?.outages.first).attribution.segment
    }

    @Test(arguments: events.indices, [nil, "echo_timeout"])
    func `a gateway without a verdict counts until an event proves that it is gone`(
        _ number: Int,
        _ code: String?
    ) throws {
        let (isProof, append) = Self.events[number]
        #expect(try Self.segment(code: code, append) == (isProof ? .firstHop : .undetermined))
    }

    @Test(arguments: events.indices)
    func `a gateway that is checked after the loss of its path has returned`(_ number: Int) throws {
        #expect(try Self.segment(code: nil, from: -80, Self.events[number].append) == .undetermined)
    }
}

extension Journal {
    /// Ends the verdict on the IPv4 gateway: its check is pending, or had no result.
    fileprivate mutating func doubt(_ code: String?, at second: Int64) {
        probe(
            "first-hop",
            over: "wifi0",
            family: "ipv4",
            at: second,
            from: "up",
            to: "unknown",
            code: code,
            cause: "connect_timeout"
        )
    }
}
