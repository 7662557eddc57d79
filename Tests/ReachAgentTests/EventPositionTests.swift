import AgentEvents
import AgentTestKit
import ArgumentParser
import Availability
import Foundation
import Testing

@testable import ReachAgent

@Suite struct EventPositionTests {
    /// 2026-11-21T07:00:00Z.
    private let now = Timestamp(microsecondsSince1970: 1_795_244_400_000_000)

    private func moment(_ text: String) -> Timestamp? {
        guard case .moment(let moment)? = EventPosition(text, now: now) else { return nil }
        return moment
    }

    /// A local time as the command would print it.
    private func local(_ text: String) -> String? {
        moment(text).map { String($0.localDescription.prefix(19)) }
    }

    private func dayBefore(_ moment: Timestamp) -> Timestamp {
        Timestamp(microsecondsSince1970: moment.microsecondsSince1970 - 86_400_000_000)
    }

    private var today: String { String(now.localDescription.prefix(10)) }

    @Test(arguments: [("0", 0), ("42", 42), ("#42", 42), ("18446744073709551615", UInt64.max)])
    func `a whole number is a number`(text: String, number: UInt64) {
        #expect(EventPosition(text, now: now) == .number(number))
    }

    @Test(
        arguments: [
            ("2026-11-21T07:00:00Z", 0), ("2026-11-21T07:00:01.5Z", 1_500_000), ("2026-11-21t07:00:00z", 0),
            ("2026-11-21T08:00:00+01:00", 0), ("2026-11-21T00:30:00.25-06:30", 250_000),
            ("2026-11-21T07:00:00.123456789Z", 123_456), ("2026-11-22T06:59:00+23:59", 0),
            ("2026-11-21T07:00Z", 0), ("2026-11-21 08:00:00+0100", 0), ("2026-11-21 06:00-01:00", 0),
        ] as [(String, Int64)]
    )
    func `a time with an offset is absolute`(text: String, microseconds: Int64) {
        #expect(moment(text)?.microsecondsSince1970 == now.microsecondsSince1970 + microseconds)
    }

    @Test(
        arguments: [
            ("now", 0), ("90s", 90), ("15min", 900), ("15m", 900), ("5m ago", 300), ("2h", 7200), ("2 h", 7200),
            ("1h30m", 5400), ("3d", 259_200), ("1w ago", 604_800), ("1 hour ago", 3600), ("90 seconds ago", 90),
            ("2 days 4 hours ago", 187_200), ("1 week", 604_800),
        ] as [(String, Int64)]
    )
    func `a duration is so long ago`(text: String, seconds: Int64) {
        #expect(moment(text)?.microsecondsSince1970 == now.microsecondsSince1970 - seconds * 1_000_000)
    }

    @Test(
        arguments: [
            ("2026-11-21T07:00:00Z", 999_999), ("2026-11-21T07:00Z", 59_999_999),
            ("2026-11-21 08:00+01:00", 59_999_999),
            ("2026-11-21T06:00:00-01:00", 999_999), ("2026-11-21T07:00:00.5Z", 500_000), ("2026-11-21t07:00:00.0z", 0),
        ] as [(String, Int64)]
    )
    func `the end of a range includes the whole second or minute`(text: String, microseconds: Int64) throws {
        let end = Timestamp(microsecondsSince1970: now.microsecondsSince1970 + microseconds)
        #expect(try EventPosition(endArgument: text) == .moment(end))
    }

    @Test func `the end of a range is a number, or as exact as it is given`() throws {
        #expect(try EventPosition(endArgument: "42") == .number(42))
        for (text, unit) in [("2026-11-21 07:00", Int64(60)), ("2026-11-21 07:00:30", 1)] {
            let start = try #require(moment(text)).microsecondsSince1970
            let end = Timestamp(microsecondsSince1970: start + unit * 1_000_000 - 1)
            #expect(try EventPosition(endArgument: text) == .moment(end))
        }
        #expect(try EventPosition(endArgument: "2026-11-21") == moment("2026-11-21").map(EventPosition.moment))
        #expect(throws: ValidationError.self) { try EventPosition(endArgument: "07:00:61") }
    }

    @Test func `a time without an offset is local`() {
        #expect(local("2026-11-20 06:05") == "2026-11-20T06:05:00")
        #expect(local("2026-11-20 06:05:04") == "2026-11-20T06:05:04")
        #expect(local("2026-11-20T06:05:04") == "2026-11-20T06:05:04")
        #expect(local("2026-06-20") == "2026-06-20T00:00:00")
        #expect(local("06:05") == "\(today)T06:05:00")
        #expect(local("06:05:04") == "\(today)T06:05:04")
        #expect(local("today") == "\(today)T00:00:00")
        #expect(local("today 06:05") == "\(today)T06:05:00")
        #expect(moment("yesterday 06:05") == moment("06:05").map(dayBefore))
        let yesterday = moment("yesterday").map { $0.microsecondsSince1970 + 86_400_000_000 }
        #expect(yesterday == moment("today")?.microsecondsSince1970)
    }

    /// The end of daylight saving in 2026.
    enum FallBack {
        case havana, berlin

        /// Havana's clocks go back from 01:00 to midnight, Berlin's from 03:00 to 02:00.
        var zone: CivilTime {
            switch self {
            case .havana: CivilTime { $0 < 1_793_509_200 ? -14_400 : -18_000 }
            case .berlin: CivilTime { $0 < 1_792_890_000 ? 7200 : 3600 }
            }
        }

        /// The afternoon of that day.
        var now: Timestamp {
            switch self {
            case .havana: Timestamp(microsecondsSince1970: 1_793_563_200_000_000)
            case .berlin: Timestamp(microsecondsSince1970: 1_792_936_800_000_000)
            }
        }
    }

    @Test(
        arguments: [
            (.havana, "today", false, "2026-11-01T04:00:00Z"), (.havana, "today", true, "2026-11-01T04:00:00Z"),
            (.havana, "2026-11-01", false, "2026-11-01T04:00:00Z"),
            (.havana, "2026-11-01", true, "2026-11-01T04:00:00Z"),
            (.havana, "yesterday", false, "2026-10-31T04:00:00Z"),
            (.havana, "00:30", false, "2026-11-01T04:30:00Z"), (.havana, "today 00:30", true, "2026-11-01T05:30:00Z"),
            (.berlin, "2026-10-25 02:30", false, "2026-10-25T00:30:00Z"),
            (.berlin, "2026-10-25 02:30", true, "2026-10-25T01:30:00Z"),
            (.berlin, "02:59:59", true, "2026-10-25T01:59:59Z"), (.berlin, "03:00", true, "2026-10-25T02:00:00Z"),
            (.berlin, "03:00", false, "2026-10-25T02:00:00Z"), (.berlin, "yesterday", true, "2026-10-23T22:00:00Z"),
        ] as [(FallBack, String, Bool, String)]
    )
    func `of a local time that occurs twice a range has both`(
        _ change: FallBack,
        _ text: String,
        isEnd: Bool,
        _ expected: String
    ) throws {
        let position = EventPosition(text, now: change.now, isEnd: isEnd, in: change.zone)
        #expect(try position == EventPosition(argument: expected))
    }

    @Test(arguments: [
        "", " ", "-1", "18446744073709551616", "1.5", "1x", "h", "-2h", "2  h", "2h ", "5 ago", "ago", "1 fortnight",
        "#", "#x", "9999999d", "noon", "Today",
        "2026-02-30", "2026-13-01", "2026-1-1", "1969-12-31", "24:00", "07:60", "7:00", "07:00:61", "07:00:00:00",
        "2026-11-21 07", "2026-11-21  07:00", "2026-11-21 07:00 x", "today 7", "now 07:00", "yesterday yesterday",
        "2026-11-21T07:00:00+24:00", "2026-11-21T07:00:00.Z", "2026-11-21T07:00:00.1234567x", "é",
        "2026-11-21T07:00:00.é",
    ])
    func `anything else is rejected`(text: String) {
        #expect(EventPosition(text, now: now) == nil)
        #expect(throws: ValidationError.self) { try EventPosition(argument: text) }
    }
}

@Suite struct EventFilterTests {
    private func passes(_ types: [String], subject: String? = nil, _ type: String, of: String = "default") throws
        -> Bool
    {
        let filter = EventFilter(types: try types.map(EventFilter.journalType), subject: subject)
        return filter.passes(type: Array(type.utf8)[...], subject: Array(of.utf8)[...])
    }

    @Test(arguments: [
        ([], true), (["path.changed"], true), (["reachagent.path.changed"], true), (["path.*"], true),
        (["reachagent.path.*"], true), (["*"], true), (["target.changed"], false),
        (["target.*", "path.changed"], true),
        (["pa*"], true), (["uplink.*"], false),
    ])
    func `types pass whole or by family`(types: [String], passes: Bool) throws {
        #expect(try self.passes(types, "reachagent.path.changed") == passes)
    }

    @Test func `subjects are compared whole`() throws {
        #expect(try passes([], subject: "office", "reachagent.path.changed", of: "office"))
        #expect(try !passes([], subject: "office", "reachagent.path.changed", of: "office2"))
        #expect(try !passes(["target.*"], subject: "office", "reachagent.path.changed", of: "office"))
    }

    @Test(arguments: [
        "", ".*", "path", "pat.*", "path.**", "path.changed.*", "*.changed", "Path.changed", "path changed", "foo",
        "reachagent.", "é", "agent.hello", "probe.completed",
    ])
    func `a type that is never in the journal is an error with a suggestion or a list of types`(text: String) {
        #expect { try EventFilter.journalType(argument: text) } throws: { error in
            ["did you mean", "reachability.changed"].contains { "\(error)".contains($0) }
        }
    }

    @Test func `a hidden type does not pass`() {
        let filter = EventFilter(types: [], subject: nil, hiding: .pathChanged)
        #expect(!filter.passes(type: Array("reachagent.path.changed".utf8)[...], subject: []))
        #expect(filter.passes(type: Array("reachagent.probe.changed".utf8)[...], subject: []))
    }

    @Test func `a type is suggested for one that is misspelt`() {
        #expect { try EventFilter.subscribedType(argument: "reachabilty.changed") } throws: { error in
            "\(error)".contains("did you mean 'reachability.changed'?")
        }
        #expect(throws: Never.self) { try EventFilter.subscribedType(argument: "probe.completed") }
    }
}

@Suite struct JournalLocationTests {
    @Test(
        arguments: [
            ([:], ["/var/lib/reachagent/journal"]),
            (["HOME": "/home/u"], ["/home/u/.local/state/reachagent/journal", "/var/lib/reachagent/journal"]),
            (
                ["HOME": "/home/u", "XDG_STATE_HOME": "/s"],
                ["/s/reachagent/journal", "/var/lib/reachagent/journal"]
            ),
            (
                ["HOME": "/home/u", "XDG_STATE_HOME": "relative"],
                ["/home/u/.local/state/reachagent/journal", "/var/lib/reachagent/journal"]
            ),
            (
                ["STATE_DIRECTORY": "/var/lib/a:/var/lib/b", "HOME": "/h"],
                ["/var/lib/a/journal", "/h/.local/state/reachagent/journal", "/var/lib/reachagent/journal"]
            ),
            (["STATE_DIRECTORY": "/var/lib/reachagent", "HOME": "/h"], ["/var/lib/reachagent/journal"]),
            (["STATE_DIRECTORY": ""], ["/var/lib/reachagent/journal"]),
        ] as [([String: String], [String])]
    )
    func `the environment sets where journals are searched for`(environment: [String: String], directories: [String])
        throws
    {
        #expect(JournalLocation(environment: environment, isRoot: false).directoriesToRead == directories)
        #expect(AgentFiles.own(environment: environment, isRoot: false).journals == directories)
        #expect(try AgentFiles.journals(named: "/d", socket: nil) == ["/d"])
    }

    @Test func `the state directory of a service that only runs commands is no agent's`() throws {
        let directory = try TemporaryDirectory()
        let own = JournalLocation(environment: ["STATE_DIRECTORY": directory.path], isRoot: true)
        #expect(!own.isAgentService)
        try FileManager.default.createDirectory(atPath: directory.path + "/journal", withIntermediateDirectories: false)
        #expect(own.isAgentService)
        #expect(JournalLocation(environment: ["STATE_DIRECTORY": "/var/lib/reachagent"], isRoot: true).isAgentService)
    }

    @Test(
        arguments: [
            ([:], false, nil), ([:], true, "/var/lib/reachagent/journal"),
            (["HOME": "/root"], true, "/var/lib/reachagent/journal"),
            (["HOME": "/h"], false, "/h/.local/state/reachagent/journal"),
            (["HOME": "/h", "XDG_STATE_HOME": "/s"], true, "/s/reachagent/journal"),
            (["STATE_DIRECTORY": "/var/lib/x"], false, "/var/lib/x/journal"),
        ] as [([String: String], Bool, String?)]
    )
    func `root writes where services do`(environment: [String: String], isRoot: Bool, directory: String?) {
        let location = JournalLocation(environment: environment, isRoot: isRoot)
        #expect(location.directoryToWrite(nil) == directory)
        #expect(location.directoryToWrite("/d") == "/d")
    }
}
