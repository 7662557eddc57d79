import AgentEvents
import Availability
import Testing

/// The settled states in an event about missing ones.
@Suite
struct RestatedStatesTests {
    private static let second: Int64 = 1_000_000

    /// An agent whose events from second 20 to 40 are missing.
    private static func interrupted(_ prepare: (inout Journal) -> Void = { _ in }) -> Journal {
        var journal = Journal()
        journal.start(at: 0)
        journal.path(at: 0, from: Journal.path(.unknown), to: Journal.path(.full))
        prepare(&journal)
        journal.other(at: 20)
        journal.sequence += 5000
        journal.other(at: 40)
        return journal
    }

    private static func probe(
        _ name: String,
        over interface: String? = nil,
        _ verdict: String,
        code: String? = nil
    ) -> NetworkSnapshot.ProbeVerdict {
        NetworkSnapshot.ProbeVerdict(
            point: ProbePoint(probe: name, interface: interface),
            verdict: ProbeVerdict(verdict: verdict, code: code),
            isStale: false
        )
    }

    private static func account(of journal: Journal, _ numbering: Accountant.Numbering = .complete) throws -> Account {
        var accountant = Accountant(window: try Journal.window(0, 100), numbering: numbering)
        for event in journal.events { accountant.add(event) }
        return accountant.account()
    }

    /// The seconds of each condition that has some.
    private static func seconds(_ account: Account, of name: String = "default") throws -> [Condition: Int64] {
        let subject = try #require(account.subjects.first { $0.subject.name == name })
        let seconds = Condition.allCases.map { ($0, subject.tally[$0] / second) }
        return Dictionary(uniqueKeysWithValues: seconds.filter { $0.1 > 0 })
    }

    @Test
    func `the path, the uplinks and the probes are known again, and the gap stays unknown`() throws {
        var journal = Self.interrupted { journal in
            journal.uplink("wlan0", at: 0, from: .unknown, to: .full)
            journal.probe("web", at: 0, from: "unknown", to: "up")
        }
        let states = SettledStates(
            state: Journal.path(.partial, reason: "connect_timeout"),
            uplinks: [Journal.uplink("wlan0", .partial, reason: "connect_timeout"), Journal.uplink("wwan0", .full)],
            probes: [Self.probe("web", "down", code: "connect_timeout"), Self.probe("dns", "up")]
        )
        journal.states(states, at: 45)
        journal.other(at: 100)
        let account = try Self.account(of: journal)
        // No event is missing since second 40: a change would be known.
        #expect(try Self.seconds(account) == [.full: 20, .unknown(.noData): 20, .partial: 60])
        #expect(try Self.seconds(account, of: "wlan0") == [.full: 20, .unknown(.noData): 20, .partial: 60])
        #expect(try Self.seconds(account, of: "web") == [.full: 20, .unknown(.noData): 20, .none: 60])
        // These were unknown before.
        #expect(try Self.seconds(account, of: "wwan0") == [.unknown(.noData): 40, .full: 60])
        #expect(try Self.seconds(account, of: "dns") == [.unknown(.noData): 40, .full: 60])
    }

    @Test
    func `events that go missing afterwards make the states unknown again`() throws {
        var journal = Self.interrupted()
        journal.states(SettledStates(state: Journal.path(.full)), at: 45)
        journal.other(at: 50)
        journal.sequence += 1
        journal.other(at: 60)
        journal.other(at: 100)
        #expect(try Self.seconds(Self.account(of: journal)) == [.full: 30, .unknown(.noData): 70])
    }

    @Test
    func `an outage that began among the missing events has the segment of its evidence`() throws {
        var journal = Self.interrupted()
        journal.states(SettledStates(state: Journal.path(.none, reason: "link_down")), at: 45)
        journal.other(at: 100)
        let lost = try #require(try Self.account(of: journal).subjects.first?.outages.first)
        #expect(lost.begin == Journal.moment(40))
        #expect(lost.attribution.segment == .wifi)
        // Its cause is not known, and the event about the journal is none.
        #expect(lost.attribution.evidence.map(\.kind) == [.reason])

        journal = Self.interrupted()
        let silence = SettledStates(
            state: Journal.path(.local, reason: "connect_timeout"),
            probes: [
                Self.probe("web", "down", code: "connect_timeout"), Self.probe("dns", "down", code: "dns_timeout"),
                Self.probe("first-hop", over: "wifi0", "down", code: "timeout"),
            ]
        )
        journal.states(silence, at: 45)
        journal.other(at: 100)
        let silent = try #require(try Self.account(of: journal).subjects.first?.outages.first)
        #expect(silent.begin == Journal.moment(40))
        #expect(silent.attribution.segment == .firstHop)
    }

    @Test
    func `of the verdicts in one event the names decide which are the evidence`() throws {
        let numbers = (10..<30).reversed()
        let probes =
            numbers.map { Self.probe("p\($0)", "down", code: "connect_timeout") }
            + numbers.map { Self.probe("u\($0)", over: "wwan0", "up") }
            + [Self.probe("web", over: "wwan0", "down", code: "connect_timeout")]
        var journal = Self.interrupted()
        let silence = Journal.path(.local, reason: "connect_timeout")
        journal.states(SettledStates(state: silence, probes: probes), at: 45)
        journal.other(at: 100)
        let account = try Self.account(of: journal)
        let path = try #require(account.subjects.first?.outages.first)
        #expect(path.attribution.evidence.map(\.subject) == ["p10", "p11", "u10 wwan0"])
        let web = try #require(account.subjects.first { $0.subject.name == "web" }?.outages.first)
        #expect(web.attribution.evidence.map(\.subject) == ["web", "u10 wwan0"])
    }

    @Test
    func `an outage that is known keeps its cause`() throws {
        var journal = Self.interrupted()
        let down = Journal.path(.none, reason: "no_route")
        journal.path(at: 50, from: Journal.path(.full), to: down, cause: ChangeCause(kind: "link", code: "link_down"))
        journal.other(at: 55)
        let before = try Self.account(of: journal).subjects.first?.outages.first?.attribution
        journal.states(SettledStates(state: down), at: 60)
        journal.other(at: 100)
        let account = try Self.account(of: journal)
        #expect(account.subjects.first?.outages.map(\.attribution) == [try #require(before)])
        #expect(try Self.seconds(account) == [.full: 30, .unknown(.noData): 20, .none: 50])
    }

    @Test
    func `an uplink or a probe without a verdict is no subject before its first event`() throws {
        var journal = Self.interrupted { $0.uplink("wlan0", at: 0, from: .unknown, to: .full) }
        let states = SettledStates(
            state: Journal.path(.full),
            uplinks: [Journal.uplink("wlan0", .unknown), Journal.uplink("eth0", .unknown)],
            probes: [Self.probe("web", "unknown")]
        )
        journal.states(states, at: 45)
        journal.other(at: 100)
        let account = try Self.account(of: journal)
        #expect(account.subjects.map(\.subject.name) == ["default", "wlan0"])
        #expect(
            try Self.seconds(account, of: "wlan0") == [.full: 20, .unknown(.noData): 20, .unknown(.noProbe): 60]
        )
    }

    @Test
    func `in a selection of events only a state that differs shows that changes are missing`() throws {
        for (state, expected) in [
            (Journal.path(.full), [.full: 100]), (Journal.path(.partial), [.unknown(.noData): 45, .partial: 55]),
        ] as [(ReachabilityState, [Condition: Int64])] {
            var journal = Self.interrupted()
            journal.states(SettledStates(state: state), at: 45)
            journal.other(at: 100)
            #expect(try Self.seconds(Self.account(of: journal, .selected)) == expected)
        }
        // Nothing is known about the time before the first state of all.
        var journal = Journal()
        journal.other(at: 10)
        journal.states(SettledStates(state: Journal.path(.full)), at: 45)
        journal.other(at: 100)
        #expect(try Self.seconds(Self.account(of: journal, .selected)) == [.unknown(.noData): 45, .full: 55])
    }

    @Test
    func `the recent availability, which reads no changes of probes, takes no verdicts either`() throws {
        var journal = Self.interrupted()
        let silence = Journal.path(.local, reason: "connect_timeout")
        let gateway = Self.probe("first-hop", over: "wifi0", "down", code: "timeout")
        journal.states(SettledStates(state: silence, probes: [gateway]), at: 45)
        let now = Journal.moment(100)
        var recent = try #require(RecentAvailability(at: now, in: .utc))
        for event in journal.events { recent.add(event) }
        let entry = try #require(recent.entries(at: now).first)
        #expect(entry.today.known == 80 * Self.second)
        #expect(entry.today.available == 20 * Self.second)
        #expect(recent.calendars(at: now).first?.longest?.attribution.segment == .undetermined)
    }
}
