import AgentEvents
import Availability
import Testing

/// More uplinks or probes than an account has place for.
@Suite
struct ManySubjectsTests {
    private static let second: Int64 = 1_000_000
    private static let end: Int64 = 20_000

    /// Uplinks with names that are new each time, one after another: the first one is plugged in at second 10.
    private static func plug(_ numbers: Range<Int>, into journal: inout Journal) {
        for number in numbers {
            let time = Int64(10 * (number + 1))
            journal.uplink("enx\(number)", at: time, from: .none, to: .full)
            journal.uplink("enx\(number)", at: time + 5, from: .full, to: .none, reason: "no_route")
        }
    }

    private static func running() -> Journal {
        var journal = Journal()
        journal.start(at: 0)
        journal.path(at: 0, from: Journal.path(.unknown), to: Journal.path(.full))
        return journal
    }

    private static func names(_ account: Account, _ kind: Subject.Kind = .uplink) -> Set<String> {
        Set(account.subjects.filter { $0.subject.kind == kind }.map(\.subject.name))
    }

    @Test(arguments: [0, 99, 255, 299])
    func `a report about one of 300 probes has it, whichever it is`(number: Int) throws {
        var journal = Self.running()
        for probe in 0..<300 { journal.probe("p\(probe)", at: 1, from: "unknown", to: "up") }
        for probe in 0..<300 { journal.probe("p\(probe)", at: 100, from: "up", to: "down", code: "connect_refused") }
        for probe in 0..<300 { journal.summary("p\(probe)", from: 200, checks: 60, failed: 60, latency: 0) }
        let window = try Journal.window(0, 4000)
        let selection = Report.Selection.probe("p\(number)")
        let account = journal.account(window, selection)
        let report = try #require(Report(account, selection))
        #expect(report.main.outageCount == 1 && report.main.checks?.failed == 60)
        #expect(report.others.isEmpty && !account.subjectsOmitted)
        let everything = journal.account(window)
        #expect(Self.names(everything, .probe).count == 256 && everything.subjectsOmitted)
    }

    @Test(arguments: [0, 255, 299])
    func `a report about one of 300 uplinks has it, and the probes over it`(number: Int) throws {
        var journal = Self.running()
        for uplink in 0..<300 {
            journal.uplink("eth\(uplink)", at: 1, from: .unknown, to: .full)
            journal.probe("web", over: "eth\(uplink)", at: 1, from: "unknown", to: "up")
        }
        journal.other(at: 100)
        let selection = Report.Selection.uplink("eth\(number)")
        let account = journal.account(try Journal.window(0, 100), selection)
        let report = try #require(Report(account, selection))
        let subjects = [report.main] + report.others
        #expect(subjects.map(\.subject.title) == ["eth\(number)", "web (over eth\(number))"])
        #expect(subjects.allSatisfy { $0.tally[.full] == 99 * Self.second })
        #expect(!account.subjectsOmitted)
    }

    @Test
    func `one more uplink takes the place of the one that has been without a path for the longest time`() throws {
        var journal = Self.running()
        journal.uplink("wan0", at: 0, from: .unknown, to: .full)
        Self.plug(0..<300, into: &journal)
        // The next run has an uplink of a new name before it reports the lasting one.
        journal.stop(at: 5000)
        journal.start(at: 5001)
        journal.uplink("enx300", at: 5002, from: .unknown, to: .full)
        journal.uplink("wan0", at: 5003, from: .unknown, to: .full)
        journal.other(at: Self.end)
        let account = journal.account(try Journal.window(0, Self.end))
        #expect(Self.names(account) == Set(["wan0"] + (46...300).map { "enx\($0)" }))
        #expect(account.subjectsOmitted)
        let lasting = try #require(account.subjects.first { $0.subject.name == "wan0" })
        #expect(lasting.tally[.full] == (Self.end - 3) * Self.second)
    }

    @Test
    func `an uplink that returns after it made room has no data of the time before`() throws {
        var journal = Self.running()
        Self.plug(0..<257, into: &journal)
        journal.uplink("enx0", at: 10_000, from: .none, to: .full)
        journal.other(at: Self.end)
        let account = journal.account(try Journal.window(0, Self.end))
        let returned = try #require(account.subjects.first { $0.subject.name == "enx0" })
        #expect(returned.tally[.full] == 10_000 * Self.second)
        #expect(returned.tally[.unknown(.noData)] == 10_000 * Self.second)
        #expect(returned.outageCount == 0)
    }

    @Test
    func `an uplink with a path makes no room`() throws {
        var journal = Self.running()
        for uplink in 0..<300 { journal.uplink("eth\(uplink)", at: 1, from: .unknown, to: .full) }
        journal.other(at: 100)
        let account = journal.account(try Journal.window(0, 100))
        #expect(Self.names(account) == Set((0..<256).map { "eth\($0)" }))
        #expect(account.subjectsOmitted)
    }

    @Test
    func `a probe over interfaces whose names are new each time is in the report at the present one`() throws {
        var journal = Self.running()
        journal.probe("web", at: 1, from: "unknown", to: "up")
        for number in 0..<300 {
            let (interface, time) = ("enx\(number)", Int64(10 * (number + 1)))
            journal.probe("web", over: interface, at: time, from: "unknown", to: "up")
            guard number < 299 else { continue }
            journal.summary("web", over: interface, from: time - 3600, checks: 60, failed: 0, latency: 20_000)
            journal.probe("web", over: interface, at: time + 5, from: "up", to: "unknown", cause: "no_route")
        }
        journal.summary("web", over: "enx299", from: 3001, checks: 60, failed: 1, latency: 20_000)
        journal.other(at: Self.end)
        for selection in [Report.Selection.everything, .probe("web")] {
            let account = journal.account(try Journal.window(-4000, Self.end), selection)
            let points = account.subjects.filter { $0.subject.kind == .probe }
            #expect(points.count == 256 && account.subjectsOmitted)
            #expect(points.first?.subject.interface == nil)
            let present = try #require(points.first { $0.subject.interface == "enx299" })
            #expect(present.tally[.full] == (Self.end - 3000) * Self.second)
            #expect(present.checks?.failed == 1)
        }
    }

    @Test
    func `the recent availability has the uplink in use after 300 others`() throws {
        var journal = Self.running()
        Self.plug(0..<300, into: &journal)
        journal.uplink("wan0", at: 10_000, from: .none, to: .full)
        let now = Journal.moment(Self.end)
        var recent = try #require(RecentAvailability(at: now, in: .utc))
        for event in journal.events { recent.add(event) }
        let entries = recent.entries(at: now)
        #expect(entries.count == 257)
        #expect(entries.last?.subject.name == "wan0")
        #expect(entries.last?.today.available == 10_000 * Self.second)
        #expect(recent.calendars(at: now).contains { $0.uplink == "wan0" })
    }
}
