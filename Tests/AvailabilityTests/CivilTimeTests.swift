import AgentEvents
import Availability
import Testing

@Suite
struct CivilTimeTests {
    private static func moment(_ text: String) throws -> Timestamp {
        let bytes = Array(text.utf8)
        let moment = Timestamp(utc: bytes.span)
        return try #require(moment)
    }

    /// Central European Time in 2026: summer time from 29 March to 25 October, 01:00 UTC.
    private static let centralEurope = CivilTime { seconds in
        (1_774_746_000..<1_792_890_000).contains(seconds) ? 7200 : 3600
    }

    /// A zone whose clocks go forward at midnight: there is no 00:00 on 26 April 2026.
    private static let forwardAtMidnight = CivilTime { $0 < 1_777_154_400 ? 7200 : 10_800 }

    @Test
    func `days with a change of the clocks have 23 and 25 hours`() throws {
        let window = try #require(
            Window(
                from: try Self.moment("2026-01-01T00:00:00Z"),
                to: try Self.moment("2026-12-31T00:00:00Z"),
                in: Self.centralEurope
            )
        )
        let lengths = window.days.compactMap { day -> (String, Int64)? in
            let next = CivilTime.Day(after: day)
            let length =
                Self.centralEurope.start(of: next).microsecondsSince1970
                - Self.centralEurope.start(of: day).microsecondsSince1970
            return length == 86_400_000_000 ? nil : (day.description, length / 3_600_000_000)
        }
        #expect(lengths.map(\.0) == ["2026-03-29", "2026-10-25"])
        #expect(lengths.map(\.1) == [23, 25])
    }

    @Test
    func `a day without midnight begins at the change`() throws {
        let day = try #require(CivilTime.Day(year: 2026, month: 4, day: 26))
        #expect(Self.forwardAtMidnight.start(of: day) == (try Self.moment("2026-04-25T22:00:00Z")))
        #expect(Self.forwardAtMidnight.text(Self.forwardAtMidnight.start(of: day)) == "2026-04-26 01:00:00 +03:00")
    }

    /// A zone whose clocks go back at 01:00: 1 November 2026 has two midnights.
    private static let backToMidnight = CivilTime { $0 < 1_793_509_200 ? -14_400 : -18_000 }

    @Test
    func `a day with two midnights begins at the first`() throws {
        let day = try #require(CivilTime.Day(year: 2026, month: 11, day: 1))
        #expect(Self.backToMidnight.start(of: day) == (try Self.moment("2026-11-01T04:00:00Z")))
    }

    @Test(arguments: [
        ("2026-10-25T01:59:59Z", "2026-10-24T23:59:59Z", "2026-10-24T23:59:59Z"),
        ("2026-10-25T02:00:00Z", "2026-10-25T00:00:00Z", "2026-10-25T01:00:00Z"),
        ("2026-10-25T02:59:59Z", "2026-10-25T00:59:59Z", "2026-10-25T01:59:59Z"),
        ("2026-10-25T03:00:00Z", "2026-10-25T02:00:00Z", "2026-10-25T02:00:00Z"),
        ("2026-03-29T01:59:59Z", "2026-03-29T00:59:59Z", "2026-03-29T00:59:59Z"),
        ("2026-03-29T02:30:00Z", "2026-03-29T01:00:00Z", "2026-03-29T01:00:00Z"),
        ("2026-03-29T03:00:00Z", "2026-03-29T01:00:00Z", "2026-03-29T01:00:00Z"),
    ])
    func `a local time has two moments where the clock is set back, and the next one where it is skipped`(
        _ local: String,
        _ first: String,
        _ last: String
    ) throws {
        let wanted = try Self.moment(local).microsecondsSince1970 / 1_000_000
        let moments = Self.centralEurope.moments(ofLocal: wanted)
        #expect(try moments.first == Self.moment(first))
        #expect(try moments.last == Self.moment(last))
    }

    @Test
    func `a leap second is the first second of the next day`() throws {
        #expect(try Self.moment("2016-12-31T23:59:60Z") == Self.moment("2017-01-01T00:00:00Z"))
    }

    private static let impossible = [
        (2026, 0, 1), (2026, 13, 1), (2026, 2, 29), (2026, 4, 31), (1969, 1, 1), (9999, 1, 1),
    ]

    @Test(arguments: impossible)
    func `a day that does not exist is invalid`(_ year: Int, _ month: Int, _ day: Int) {
        #expect(CivilTime.Day(year: year, month: month, day: day) == nil)
    }

    @Test
    func `a leap day exists`() {
        #expect(CivilTime.Day(year: 2028, month: 2, day: 29)?.description == "2028-02-29")
    }

    @Test
    func `windows that are empty or too long are invalid`() throws {
        let start = try Self.moment("2026-01-01T00:00:00Z")
        #expect(Window(from: start, to: start, in: .utc) == nil)
        #expect(Window(from: start, to: try Self.moment("2040-01-01T00:00:00Z"), in: .utc) == nil)
        #expect(Window(from: start, to: try Self.moment("2036-01-01T00:00:00Z"), in: .utc)?.days.count == 3652)
    }

    private static let objectives: [(String, String?)] = [
        ("99.5", "99.5"), ("99", "99"), ("99.9999", "99.9999"), ("0", nil), ("100", nil), ("99.99999", nil),
        ("-1", nil), ("", nil), (".5", nil), ("99.", nil), ("9e1", nil),
    ]

    @Test(arguments: objectives)
    func `an objective is per cent between 0 and 100`(_ text: String, _ percent: String?) {
        #expect(Objective(percent: text)?.percent == percent)
    }
}

extension CivilTime.Day {
    fileprivate init(after day: CivilTime.Day) {
        let next = CivilTime.utc.start(of: day).microsecondsSince1970 + 86_400_000_000
        self = CivilTime.utc.day(of: Timestamp(microsecondsSince1970: next))
    }
}
