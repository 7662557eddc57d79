import AgentEvents
import Availability
import Testing

/// The attribution of silences by what is known of the gateway meanwhile.
@Suite
struct GatewaySegmentTests {
    private static let silent = Journal.path(.local, reason: "connect_timeout")

    /// A journal in which nothing answers from 10 s on.
    private static func silenced() -> Journal {
        var journal = Journal()
        journal.start(at: 0)
        journal.path(at: 1, from: Journal.path(.unknown), to: Journal.path(.full))
        for name in ["dns", "web"] { journal.probe(name, at: 9, from: "up", to: "down", code: "connect_timeout") }
        journal.path(at: 10, from: Journal.path(.full), to: silent)
        return journal
    }

    private static func silence(_ gateway: [(second: Int64, from: String, to: String)]) throws -> Outage {
        var journal = Journal()
        journal.start(at: 0)
        journal.probe("first-hop", over: "wifi0", at: 1, from: "unknown", to: "up")
        journal.path(at: 1, from: Journal.path(.unknown), to: Journal.path(.full))
        func append(_ changes: some Sequence<(second: Int64, from: String, to: String)>) {
            for change in changes {
                journal.probe("first-hop", over: "wifi0", at: change.second, from: change.from, to: change.to)
            }
        }
        append(gateway.filter { $0.second < 9 })
        for name in ["dns", "web"] { journal.probe(name, at: 9, from: "up", to: "down", code: "connect_timeout") }
        journal.path(at: 10, from: Journal.path(.full), to: Journal.path(.local, reason: "connect_timeout"))
        append(gateway.filter { $0.second >= 10 })
        journal.path(at: 1000, from: Journal.path(.local, reason: "connect_timeout"), to: Journal.path(.full))
        journal.other(at: 1200)
        return try #require(journal.account(try Journal.window(0, 1200)).subjects.first?.outages.first)
    }

    @Test
    func `a gateway that is found silent soon after the beginning was silent from the beginning`() throws {
        #expect(try Self.silence([]).attribution.segment == .undetermined)
        let outage = try Self.silence([(second: 30, from: "up", to: "down")])
        #expect(outage.attribution.segment == .firstHop)
        #expect(outage.attribution.evidence.first?.code == "down")
    }

    @Test
    func `a gateway that changes later changes the rest, and the longest part counts`() throws {
        let up: (second: Int64, from: String, to: String) = (11, "unknown", "up")
        let down: (second: Int64, from: String, to: String) = (300, "up", "down")
        #expect(try Self.silence([up, down, (400, "down", "up")]).attribution.segment == .provider)
        #expect(try Self.silence([up, down]).attribution.segment == .firstHop)
    }

    /// A row of what the gateway does in a silence from 10 s to 1000 s, and the longest part's segment.
    private static let timelines: [([(second: Int64, from: String, to: String)], Segment)] = [
        // The check at the beginning is of the silence; it tells about all of it.
        ([(10, "up", "unknown"), (11, "unknown", "up")], .provider),
        ([(10, "up", "unknown"), (19, "unknown", "down")], .firstHop),
        ([(10, "up", "unknown"), (19, "unknown", "unknown")], .undetermined),
        // Down before the silence, and still.
        ([(5, "up", "down")], .firstHop),
        // It answers again: that it was silent before stays true, and what follows is not its fault.
        ([(5, "up", "down"), (40, "down", "up")], .provider), ([(5, "up", "down"), (900, "down", "up")], .firstHop),
        ([(11, "unknown", "up"), (40, "up", "down"), (60, "down", "up")], .provider),
        ([(11, "unknown", "up"), (40, "up", "down")], .firstHop),
        // A verdict that comes late is not about the time before it.
        ([(10, "up", "unknown"), (900, "unknown", "down")], .undetermined),
        ([(10, "up", "unknown"), (900, "unknown", "up")], .undetermined),
        ([(10, "up", "unknown"), (200, "unknown", "down")], .firstHop),
        // A verdict that is lost takes nothing back.
        ([(11, "unknown", "up"), (500, "up", "unknown")], .provider),
        ([(11, "unknown", "down"), (500, "down", "unknown")], .firstHop),
    ]

    @Test(arguments: timelines.indices)
    func `only what is known of the gateway in the silence itself decides`(_ number: Int) throws {
        let (gateway, segment) = Self.timelines[number]
        #expect(try Self.silence(gateway).attribution.segment == segment)
    }

    @Test(arguments: [(Int64(20), Segment.provider), (39, .provider), (41, .firstHop), (62, .firstHop)])
    func `a short outage is that of the gateway if it was silent for most of it`(
        answer: Int64,
        segment: Segment
    ) throws {
        var journal = Self.silenced()
        journal.probe("first-hop", over: "wifi0", at: 11, from: "unknown", to: "down", code: "host_unreachable")
        journal.probe("first-hop", over: "wifi0", at: answer, from: "down", to: "up")
        journal.path(at: 70, from: Self.silent, to: Journal.path(.full))
        journal.other(at: 90)
        let account = journal.account(try Journal.window(0, 90))
        let outages = try #require(account.subjects.first?.outages)
        #expect(outages.map(\.attribution.segment) == [segment])
    }

    @Test
    func `what is found soon after the beginning holds from the beginning, whatever reasons there were`() throws {
        var journal = Self.silenced()
        let other = Journal.path(.local, reason: "dns_timeout")
        journal.path(at: 50, from: Self.silent, to: other)
        journal.probe("first-hop", over: "wifi0", at: 60, from: "unknown", to: "down", code: "host_unreachable")
        journal.path(at: 70, from: other, to: Journal.path(.full))
        journal.other(at: 90)
        let account = journal.account(try Journal.window(0, 90))
        let outages = try #require(account.subjects.first?.outages)
        #expect(outages.map(\.attribution.segment) == [.firstHop] && outages.map(\.duration) == [60_000_000])
    }

    @Test
    func `a silence whose reason changes is the same, and one after a suspend is another`() throws {
        func segments(_ change: (inout Journal) -> Void) throws -> [Segment] {
            var journal = Self.silenced()
            journal.probe("first-hop", over: "wifi0", at: 11, from: "unknown", to: "up")
            change(&journal)
            journal.other(at: 1000)
            let account = journal.account(try Journal.window(0, 1000))
            return try #require(account.subjects.first?.outages).map(\.attribution.segment)
        }
        let reasons = try segments { journal in
            let other = Journal.path(.local, reason: "dns_timeout")
            journal.path(at: 100, from: Journal.path(.local, reason: "connect_timeout"), to: other)
        }
        #expect(reasons == [.provider])
        let doubted = try segments { journal in
            journal.probe("first-hop", over: "wifi0", at: 99, from: "up", to: "unknown")
            let other = Journal.path(.local, reason: "dns_timeout")
            journal.path(at: 100, from: Journal.path(.local, reason: "connect_timeout"), to: other)
        }
        #expect(doubted == [.provider])
        #expect(try segments { $0.suspend(300, until: 600) } == [.provider, .undetermined])
        let checked = try segments { journal in
            journal.suspend(300, until: 600)
            journal.probe("first-hop", over: "wifi0", at: 601, from: "up", to: "unknown")
            journal.probe("first-hop", over: "wifi0", at: 602, from: "unknown", to: "down")
        }
        #expect(checked == [.provider, .firstHop])
    }

    @Test
    func `an uplink whose silence gets another reason keeps its segment while the gateway is in doubt`() throws {
        var journal = Journal()
        journal.start(at: 0)
        for name in ["dns", "web"] {
            journal.probe(name, over: "wlan0", at: 9, from: "up", to: "down", code: "connect_timeout")
        }
        journal.uplink("wlan0", at: 10, from: .full, to: .local, reason: "connect_timeout")
        journal.probe("first-hop", over: "wlan0", at: 11, from: "unknown", to: "down", code: "echo_timeout")
        journal.probe("first-hop", over: "wlan0", at: 99, from: "down", to: "unknown")
        journal.uplink("wlan0", at: 100, from: .local, to: .local, reason: "dns_timeout")
        journal.other(at: 1000)
        let account = journal.account(try Journal.window(0, 1000))
        let uplink = try #require(account.subjects.first { $0.subject.kind == .uplink })
        #expect(uplink.outages.map(\.attribution.segment) == [.firstHop])
    }

    @Test
    func `a probe that went down with its path has the path's segment after a suspend too`() throws {
        var journal = Journal()
        journal.start(at: 0)
        journal.path(at: 1, from: Journal.path(.unknown), to: Journal.path(.full))
        journal.probe("web", at: 9, from: "up", to: "down", code: "connect_timeout")
        journal.path(at: 10, from: Journal.path(.full), to: Journal.path(.local, reason: "connect_timeout"))
        journal.suspend(300, until: 600)
        journal.probe("first-hop", over: "wifi0", at: 602, from: "unknown", to: "down", code: "echo_timeout")
        journal.other(at: 1000)
        let account = journal.account(try Journal.window(0, 1000))
        let web = try #require(account.subjects.first { $0.subject.name == "web" })
        #expect(web.outages.map(\.attribution.segment) == [.undetermined, .firstHop])
    }

    @Test(arguments: [(Int64(-5000), Segment.undetermined), (5, .firstHop)])
    func `a gateway that was down in one family long before is not at fault while the other may answer`(
        down: Int64,
        segment: Segment
    ) throws {
        var journal = Journal()
        journal.start(at: -6000)
        func gateway(_ family: String, _ second: Int64, _ from: String, _ to: String) {
            journal.probe("first-hop", over: "wifi0", family: family, at: second, from: from, to: to)
        }
        journal.path(at: -5999, from: Journal.path(.unknown), to: Journal.path(.full))
        gateway("ipv4", -5999, "unknown", "up")
        gateway("ipv6", down, "unknown", "down")
        journal.path(at: 10, from: Journal.path(.full), to: Journal.path(.local, reason: "connect_timeout"))
        gateway("ipv4", 10, "up", "unknown")
        journal.other(at: 500)
        let account = journal.account(try Journal.window(0, 500))
        #expect(try #require(account.subjects.first?.outages.first).attribution.segment == segment)
    }

    @Test(arguments: [("ipv4" as String?, Segment.firstHop), ("ipv6", .provider), (nil, .provider)])
    func `the gateway of the family in which targets are silent decides`(family: String?, segment: Segment) throws {
        let attribution = try SegmentTests.outage(.local, reason: "connect_timeout") { journal in
            for name in ["dns", "web"] {
                journal.probe(name, family: family, at: 9, from: "up", to: "down", code: "connect_timeout")
            }
        } after: { journal in
            journal.probe("first-hop", over: "wifi0", family: "ipv4", at: 11, from: "unknown", to: "down")
            journal.probe("first-hop", over: "wifi0", family: "ipv6", at: 12, from: "unknown", to: "up")
        }
        #expect(attribution.segment == segment)
    }

    /// A row of what the gateways do in a silence of IPv4 targets from 10 s to 60 s, in which both are in doubt first.
    private static let families: [([(second: Int64, family: String, to: String, code: String?)], Segment)] = [
        // The answer of the other family is the faster one.
        ([(11, "ipv6", "up", nil), (40, "ipv4", "down", "echo_timeout")], .firstHop),
        ([(11, "ipv6", "up", nil), (19, "ipv4", "up", nil)], .provider), ([(11, "ipv6", "up", nil)], .undetermined),
        ([(11, "ipv6", "down", "echo_timeout")], .undetermined),
        // A check without a result.
        ([(11, "ipv6", "up", nil), (19, "ipv4", "unknown", "echo_timeout")], .provider),
    ]

    @Test(arguments: families.indices)
    func `while the gateway of the silent family is being checked, that of the other one does not decide`(
        _ number: Int
    ) throws {
        let (changes, segment) = Self.families[number]
        let attribution = try SegmentTests.outage(.local, reason: "connect_timeout") { journal in
            for family in ["ipv4", "ipv6"] {
                journal.probe("first-hop", over: "wifi0", family: family, at: 2, from: "unknown", to: "up")
            }
            for name in ["dns", "web"] {
                journal.probe(name, family: "ipv4", at: 9, from: "up", to: "down", code: "connect_timeout")
            }
        } after: { journal in
            for family in ["ipv4", "ipv6"] {
                journal.probe("first-hop", over: "wifi0", family: family, at: 10, from: "up", to: "unknown")
            }
            for (at, family, to, code) in changes {
                journal.probe("first-hop", over: "wifi0", family: family, at: at, from: "unknown", to: to, code: code)
            }
        }
        #expect(attribution.segment == segment)
        #expect(attribution.missing == (segment == .undetermined ? [.firstHop] : []))
    }

    @Test(arguments: ["no_route", "config_reloaded", "lookup_changed"])
    func `a gateway that has gone does not count as one that may answer`(_ code: String) throws {
        var journal = Journal()
        journal.start(at: -6000)
        func gateway(_ family: String, _ second: Int64, _ from: String, _ to: String, cause: String? = nil) {
            journal.probe("first-hop", over: "wifi0", family: family, at: second, from: from, to: to, cause: cause)
        }
        journal.path(at: -5999, from: Journal.path(.unknown), to: Journal.path(.full))
        gateway("ipv4", -5999, "unknown", "up")
        gateway("ipv6", -5000, "unknown", "down")
        gateway("ipv4", -100, "up", "unknown", cause: code)
        journal.path(at: 10, from: Journal.path(.full), to: Journal.path(.local, reason: "connect_timeout"))
        journal.other(at: 500)
        let account = journal.account(try Journal.window(0, 500))
        let segment = try #require(account.subjects.first?.outages.first).attribution.segment
        // One whose route has changed is being checked.
        #expect(segment == (code == "lookup_changed" ? .undetermined : .firstHop))
    }

    @Test
    func `an answer from before the clock was set back is not one of the silence`() throws {
        var journal = Journal()
        journal.start(at: 0)
        journal.path(at: 1, from: Journal.path(.unknown), to: Journal.path(.full))
        for name in ["dns", "web"] { journal.probe(name, at: 9, from: "up", to: "down", code: "connect_timeout") }
        journal.probe("first-hop", over: "wifi0", at: 500, from: "unknown", to: "up")
        journal.path(at: 100, from: Journal.path(.full), to: Journal.path(.local, reason: "connect_timeout"))
        journal.other(at: 400)
        let account = journal.account(try Journal.window(0, 400))
        #expect(try #require(account.subjects.first?.outages.last).attribution.segment == .undetermined)
    }

    @Test
    func `the first hop of a tunnel is that of its underlay, not the gateway of another uplink`() throws {
        func segment(_ interface: String) throws -> Segment {
            var journal = Journal()
            journal.start(at: 0)
            journal.probe("first-hop", over: interface, at: 1, from: "unknown", to: "down", code: "timeout")
            var local = Journal.path(.local, reason: "connect_timeout", kind: "tunnel")
            local.path.overall.underlay = .init(interface: "wlan0", kind: "wifi", evidence: "remote_route")
            journal.path(at: 10, from: Journal.path(.full), to: local)
            journal.other(at: 60)
            let account = journal.account(try Journal.window(0, 60))
            return try #require(account.subjects.first?.outages.first).attribution.segment
        }
        #expect(try segment("wlan0") == .firstHop)
        #expect(try segment("wwan0") == .undetermined)
    }
}
