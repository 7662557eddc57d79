import AgentEvents
import AgentTestKit
import Availability
import Testing

/// The cost of attributing the outages of many probes and uplinks: an event of twice as many costs about twice the time.
@Suite(.serialized) struct AttributionCostTests {
    private static let probes = 32

    /// A fault of a site, which takes down all probes one by one; each is `target` as long as another one is up.
    private static func journal(probes: Int) -> Journal {
        var journal = Journal()
        journal.start(at: 0)
        journal.path(at: 0, from: Journal.path(.unknown), to: Journal.path(.full))
        for probe in 0..<probes { journal.probe("p\(probe)", at: 1, from: "unknown", to: "up") }
        for hour in 1...4 as ClosedRange<Int64> {
            for probe in 0..<probes {
                journal.probe("p\(probe)", at: 3600 * hour, from: "up", to: "down", code: "connect_timeout")
            }
            for probe in 0..<probes { journal.probe("p\(probe)", at: 3600 * hour + 600, from: "down", to: "up") }
        }
        return journal
    }

    @Test
    func `an event of twice as many probes costs at most two and a half times as much`() throws {
        let window = try Journal.window(0, 5 * 3600)
        let journals = [Self.journal(probes: Self.probes), Self.journal(probes: 2 * Self.probes)]
        let growth = CostGrowth.measure(journals.count, noise: 0) { index in
            CostGrowth.seconds { _ = journals[index].account(window) } / Double(journals[index].events.count)
        }
        #expect(growth.isLinear, "\(growth), an event")
    }

    @Test(arguments: [false, true])
    func `an event of twice as many silent uplinks costs at most two and a half times as much`(
        hasProbes: Bool
    ) throws {
        let window = try Journal.window(0, 3600)
        let journals = [128, 256].map { uplinks in
            var journal = Journal()
            journal.start(at: 0)
            for uplink in 0..<uplinks {
                journal.uplink("eth\(uplink)", at: 1, from: .full, to: .local, reason: "connect_timeout")
            }
            for uplink in 0..<(hasProbes ? uplinks : 0) {
                journal.probe("web", over: "eth\(uplink)", at: 2, from: "unknown", to: "up")
            }
            return journal
        }
        let growth = CostGrowth.measure(journals.count, noise: 0) { index in
            CostGrowth.seconds { _ = journals[index].account(window) } / Double(journals[index].events.count)
        }
        #expect(growth.isLinear, "\(growth), an event")
    }

    @Test
    func `twice as many suspends cost at most two and a half times as much`() throws {
        let window = try Journal.window(0, 10_000)
        // Both are fewer than an account keeps pending.
        let journals = ([200, 400] as [Int64]).map { suspends in
            var journal = Journal()
            journal.start(at: 0)
            for uplink in 0..<32 {
                journal.uplink("eth\(uplink)", at: 1, from: .full, to: .none, reason: "no_address")
            }
            for number in 1...suspends { journal.suspend(5, until: 20 * number) }
            return journal
        }
        let growth = CostGrowth.measure(journals.count, noise: 0) { index in
            CostGrowth.seconds { _ = journals[index].account(window) }
        }
        #expect(growth.isLinear, "\(growth)")
    }

    @Test(arguments: ["via", "connectivity", "reason", "cause", "summary", "id"])
    func `an event with a text of twice the length costs at most two and a half times as much`(member: String) throws {
        let window = try Journal.window(0, 3600)
        let journals = [8 << 10, 16 << 10].map { bytes in
            var state = Journal.path(.local)
            var cause = ChangeCause(kind: "link", code: "link_changed")
            let marks = String(repeating: "\u{301}\u{323}", count: bytes / 4)
            switch member {
            case "via": state.via = Via(marks)
            case "connectivity": state.connectivity = Connectivity(marks)
            case "reason": state.connectivityReason = marks
            case "cause": cause.code = marks
            default: break
            }
            var journal = Journal()
            if member == "id" { journal.stream = marks }
            journal.start(at: 0)
            if member == "id" { journal.stream = "\u{323}" + marks }
            journal.path(at: 1, from: Journal.path(.full), to: state, cause: cause)
            journal.path(at: 2, from: state, to: Journal.path(.full))
            if member == "summary" { journal.summary(marks, from: 3, checks: 1, failed: 0, latency: 1000) }
            return journal
        }
        let growth = CostGrowth.measure(journals.count, noise: 0.0001) { index in
            CostGrowth.seconds { _ = journals[index].account(window) }
        }
        #expect(growth.isLinear, "\(growth)")
    }

    /// A verdict that is up, and whether it shows that the probe `web` over `eth0` and IPv4 is down alone.
    struct Other: Sendable, CustomTestStringConvertible {
        var name = "dns"
        var interface: String? = "eth0"
        var family: String? = "ipv4"
        var isEvidence = false
        let testDescription: String
    }

    @Test(arguments: [
        Other(isEvidence: true, testDescription: "another probe"),
        Other(family: nil, isEvidence: true, testDescription: "another probe in any family"),
        Other(family: "ipv6", testDescription: "another probe in the other family"),
        Other(interface: nil, testDescription: "another probe over the default path"),
        Other(interface: "wwan0", testDescription: "another probe over another uplink"),
        Other(name: "web", family: nil, testDescription: "the same probe in any family"),
        Other(name: "first-hop", testDescription: "the gateway"),
    ])
    func `a probe is down alone if another one is up over the same path`(other: Other) throws {
        var journal = Journal()
        journal.start(at: 0)
        journal.probe(other.name, over: other.interface, family: other.family, at: 1, from: "unknown", to: "up")
        journal.probe("web", over: "eth0", family: "ipv4", at: 2, from: "up", to: "down", code: "connect_timeout")
        journal.other(at: 10)
        let subjects = journal.account(try Journal.window(0, 10)).subjects
        let outage = try #require(subjects.lazy.flatMap(\.outages).first)
        #expect(outage.attribution.segment == (other.isEvidence ? .target : .undetermined))
    }

    @Test
    func `the oldest verdict of another probe is the evidence`() throws {
        var journal = Journal()
        journal.start(at: 0)
        // Number 2 is of the same probe, and 3 of another family.
        for (name, family) in [("web", nil), ("dns", "ipv6"), ("ntp", nil), ("api", "ipv4")] as [(String, String?)] {
            journal.probe(name, family: family, at: 1, from: "unknown", to: "up")
        }
        journal.probe("web", family: "ipv4", at: 2, from: "up", to: "down", code: "connect_timeout")
        journal.probe("ntp", at: 3, from: "up", to: "unknown")
        journal.probe("ntp", at: 4, from: "unknown", to: "up")
        journal.probe("web", family: "ipv4", at: 5, from: "down", to: "up")
        journal.probe("web", family: "ipv4", at: 6, from: "up", to: "down", code: "connect_timeout")
        journal.other(at: 10)
        let subjects = journal.account(try Journal.window(0, 10)).subjects
        let outages = try #require(subjects.first { $0.subject.family == "ipv4" && $0.subject.name == "web" }).outages
        #expect(outages.map { $0.attribution.evidence.map(\.sequence) } == [[6, 4], [10, 5]])
    }
}
