import AgentEvents
import Availability
import Testing

@Suite
struct SegmentTests {
    static func outage(
        _ connectivity: Connectivity = .none,
        reason: String? = nil,
        kind: String = "wifi",
        cause: String = "link",
        _ prepare: (inout Journal) -> Void = { _ in },
        after: (inout Journal) -> Void = { _ in }
    ) throws -> Attribution {
        var journal = Journal()
        journal.start(at: 0)
        journal.path(at: 1, from: Journal.path(.unknown), to: Journal.path(.full, kind: kind))
        prepare(&journal)
        journal.path(
            at: 10,
            from: Journal.path(.full, kind: kind),
            to: Journal.path(connectivity, reason: reason, kind: kind),
            cause: ChangeCause(kind: cause, code: reason ?? "x")
        )
        after(&journal)
        journal.other(at: 60)
        let account = journal.account(try Journal.window(0, 60))
        return try #require(account.subjects.first?.outages.first).attribution
    }

    private static let reasons: [(String, String, String, Segment)] = [
        ("link_down", "wifi", "link", .wifi), ("link_dormant", "wifi", "link", .wifi),
        ("link_down", "wwan", "link", .modem), ("link_down", "wired", "link", .machine),
        ("no_address", "wifi", "address", .machine), ("no_route", "wired", "route", .machine),
        ("route_blackhole", "wifi", "route", .machine), ("no_route", "wired", "neighbour", .firstHop),
        ("underlay_down", "tunnel", "link", .undetermined), ("code_of_a_later_version", "wifi", "link", .undetermined),
    ]

    @Test(arguments: reasons)
    func `a path that is lost is put down to a segment by its reason`(
        _ reason: String,
        _ kind: String,
        _ cause: String,
        _ segment: Segment
    ) throws {
        let attribution = try Self.outage(reason: reason, kind: kind, cause: cause)
        #expect(attribution.segment == segment)
        #expect(attribution.code == reason)
        #expect(attribution.missing == (segment == .undetermined ? [.reason] : []))
        #expect(attribution.evidence.first?.code == reason)
    }

    @Test
    func `a portal is a segment of its own`() throws {
        #expect(try Self.outage(.portal, reason: "portal_redirect").segment == .portal)
    }

    @Test
    func `without a check of the first hop silence is undetermined, and the report names the missing check`() throws {
        let attribution = try Self.outage(.local, reason: "connect_timeout") { journal in
            journal.probe("web", at: 8, from: "up", to: "down", code: "connect_timeout")
            journal.probe("dns", at: 9, from: "up", to: "down", code: "dns_timeout")
        }
        #expect(attribution.segment == .undetermined)
        #expect(attribution.missing == [.firstHop])
        #expect(attribution.evidence.map(\.subject) == ["web", "dns"])
    }

    @Test
    func `with a first hop that answers two silent targets are the provider's`() throws {
        let attribution = try Self.outage(.local, reason: "connect_timeout") { journal in
            journal.probe("web", at: 8, from: "up", to: "down", code: "connect_timeout")
            journal.probe("dns", at: 9, from: "up", to: "down", code: "dns_timeout")
        } after: { journal in
            journal.probe("first-hop", over: "wifi0", at: 11, from: "unknown", to: "up")
        }
        #expect(attribution.segment == .provider)
        #expect(attribution.evidence.first?.kind == .probeUp)
    }

    @Test
    func `a first hop that answered before the silence is no evidence about it`() throws {
        for second: Int64 in [2, 9] {
            let attribution = try Self.outage(.local, reason: "connect_timeout") { journal in
                journal.probe("first-hop", over: "wifi0", at: second, from: "unknown", to: "up")
                journal.probe("web", at: 9, from: "up", to: "down", code: "connect_timeout")
                journal.probe("dns", at: 9, from: "up", to: "down", code: "dns_timeout")
            }
            #expect(attribution.segment == .undetermined)
            #expect(attribution.missing == [.firstHop])
            #expect(attribution.evidence.map(\.subject) == ["web", "dns"])
        }
    }

    @Test
    func `one silent target is not enough, unless another uplink has it`() throws {
        let answer = { (journal: inout Journal) in
            journal.probe("first-hop", over: "wifi0", at: 11, from: "unknown", to: "up")
        }
        let one = try Self.outage(.local, reason: "connect_timeout") { journal in
            journal.probe("web", at: 8, from: "up", to: "down", code: "connect_timeout")
        } after: {
            answer(&$0)
        }
        #expect(one.missing == [.secondTarget])
        let other = try Self.outage(.local, reason: "connect_timeout") { journal in
            journal.uplink("wwan0", at: 3, from: .unknown, to: .full)
            journal.probe("web", at: 8, from: "up", to: "down", code: "connect_timeout")
        } after: {
            answer(&$0)
        }
        #expect(other.segment == .provider)
        #expect(other.evidence.last?.kind == .uplinkUp)
    }

    @Test
    func `an hours-old verdict of a transfer is not evidence`() throws {
        for isTransfer in [false, true] {
            let attribution = try Self.outage(.local, reason: "connect_timeout") { journal in
                journal.probe("speed", over: "wwan0", at: 3, from: "unknown", to: "up")
                if isTransfer { journal.transfer("speed", over: "wwan0", at: -3596, down: 5) }
                journal.probe("web", at: 8, from: "up", to: "down", code: "connect_timeout")
            } after: { journal in
                journal.probe("first-hop", over: "wifi0", at: 11, from: "unknown", to: "up")
            }
            #expect(attribution.segment == (isTransfer ? .undetermined : .provider))
            #expect(attribution.missing == (isTransfer ? [.secondTarget] : []))
            #expect(attribution.evidence.contains { $0.subject == "speed wwan0" } == !isTransfer)
        }
    }

    @Test
    func `a silent first hop is the segment`() throws {
        let attribution = try Self.outage(.local, reason: "connect_timeout") { journal in
            journal.probe("first-hop", over: "wifi0", at: 8, from: "up", to: "down", code: "echo_timeout")
        }
        #expect(attribution.segment == .firstHop)
    }

    @Test
    func `evidence that arrives during the outage decides too`() throws {
        let attribution = try Self.outage(
            .local,
            reason: "connect_timeout",
            after: { journal in
                journal.probe("first-hop", over: "wifi0", at: 20, from: "up", to: "down", code: "echo_timeout")
            }
        )
        #expect(attribution.segment == .firstHop)
    }

    @Test
    func `a route lost after its link counts as lost with the link`() throws {
        let attribution = try Self.outage(
            reason: "link_down",
            after: { journal in
                journal.path(
                    at: 12,
                    from: Journal.path(.none, reason: "link_down"),
                    to: Journal.path(.none, reason: "no_route")
                )
            }
        )
        #expect(attribution.segment == .wifi)
    }

    @Test
    func `a probe that is down while another is up has a target at fault`() throws {
        var journal = Journal()
        journal.start(at: 0)
        journal.probe("web", at: 1, from: "unknown", to: "up")
        journal.probe("dns", at: 1, from: "unknown", to: "up")
        journal.probe("web", at: 10, from: "up", to: "down", code: "http_status")
        journal.other(at: 60)
        let account = journal.account(try Journal.window(0, 60))
        let web = try #require(account.subjects.first { $0.subject.name == "web" })
        #expect(web.outages.map(\.attribution.segment) == [.target])
        #expect(web.outages.first?.attribution.evidence.map(\.subject) == ["web", "dns"])
        #expect(web.outages.first?.ending == .windowEnd)
    }

    @Test(arguments: [(second: Int64(25), segment: Segment.provider), (second: 300, segment: .target)])
    func `a target that fails after another within a minute was not up in its outage`(
        dns: (second: Int64, segment: Segment)
    ) throws {
        var journal = Journal()
        journal.start(at: 0)
        journal.path(at: 1, from: Journal.path(.unknown), to: Journal.path(.full))
        for name in ["dns", "web"] { journal.probe(name, at: 1, from: "unknown", to: "up") }
        journal.probe("web", at: 10, from: "up", to: "down", code: "connect_timeout")
        journal.probe("dns", at: dns.second, from: "up", to: "down", code: "dns_timeout")
        let silent = Journal.path(.local, reason: "connect_timeout")
        journal.path(at: dns.second, from: Journal.path(.full), to: silent)
        journal.probe("first-hop", over: "wifi0", at: dns.second + 1, from: "unknown", to: "up")
        journal.other(at: 400)
        let account = journal.account(try Journal.window(0, 400))
        let web = try #require(account.subjects.first { $0.subject.name == "web" })
        #expect(web.outages.map(\.attribution.segment) == [dns.segment])
    }

    @Test
    func `a probe that is down alone is undetermined, and one on a dead path has the path's segment`() throws {
        var journal = Journal()
        journal.start(at: 0)
        journal.path(at: 1, from: Journal.path(.unknown), to: Journal.path(.full))
        journal.probe("web", at: 10, from: "up", to: "down", code: "http_status")
        journal.probe("web", at: 20, from: "down", to: "up")
        journal.path(at: 30, from: Journal.path(.full), to: Journal.path(.none, reason: "link_down"))
        journal.probe("web", at: 31, from: "up", to: "down", code: "no_route")
        journal.other(at: 60)
        let account = journal.account(try Journal.window(0, 60))
        let web = try #require(account.subjects.first { $0.subject.name == "web" })
        #expect(web.outages.map(\.attribution.segment) == [.undetermined, .wifi])
        #expect(web.outages.first?.attribution.missing == [.otherTarget])
    }
}
