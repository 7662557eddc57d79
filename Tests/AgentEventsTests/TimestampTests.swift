import Glibc
import Testing

@testable import AgentEvents

@Suite struct TimestampTests {
    private func parse(_ text: String) -> Timestamp? { Timestamp(utc: Array(text.utf8).span) }

    @Test(
        arguments: [
            0, 1, -1, 999_999, 1_000_000, 1_795_244_400_123_456, 951_782_399_999_999, 951_782_400_000_000,
            -62_167_219_200_000_000, 253_402_300_799_999_999, 4_107_542_399_000_000, 4_107_542_400_000_000,
        ] as [Int64]
    )
    func `a moment is read as it was written`(microseconds: Int64) {
        let moment = Timestamp(microsecondsSince1970: microseconds)
        #expect(parse(moment.description) == moment)
    }

    @Test(
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("1970-01-01T00:00:00.5Z", 500_000), ("1970-01-01T00:00:00.000001Z", 1),
            ("1970-01-02T00:00:01.25Z", 86_401_250_000), ("2000-02-29T00:00:00Z", 951_782_400_000_000),
            ("1969-12-31T23:59:59.999999Z", -1), ("2016-12-31T23:59:60Z", 1_483_228_800_000_000),
        ] as [(String, Int64)]
    )
    func `decimals may be left out`(text: String, microseconds: Int64) {
        #expect(parse(text)?.microsecondsSince1970 == microseconds)
    }

    @Test(arguments: [
        "", "Z", "2026-11-21", "2026-11-21T07:00Z", "2026-11-21T07:00:00", "2026-11-21T07:00:00.Z",
        "2026-11-21T07:00:00.1234567Z", "2026-11-21T07:00:00+00:00", "2026-11-21 07:00:00Z", "2026-11-21t07:00:00z",
        "2026-13-21T07:00:00Z", "2026-00-21T07:00:00Z", "2026-11-00T07:00:00Z", "2026-11-31T07:00:00Z",
        "2026-02-29T07:00:00Z", "1900-02-29T07:00:00Z", "2026-11-21T24:00:00Z", "2026-11-21T07:60:00Z",
        "2026-11-21T07:00:61Z", "2026-11-21T07:00:0 Z", "+026-11-21T07:00:00Z", "2026-11-21T07:00:00,5Z",
        "2026-11-21T07:00:00.12a456Z", "2026/11/21T07:00:00Z", "２０26-11-21T07:00Z",
    ])
    func `anything else is not a valid timestamp`(text: String) { #expect(parse(text) == nil) }

    @Test(arguments: [.min, -62_167_305_600_000_000, 253_402_300_800_000_000, .max] as [Int64])
    func `a moment before the year 0 or after 9999 has a text`(microseconds: Int64) {
        let moment = Timestamp(microsecondsSince1970: microseconds)
        #expect(moment.description.utf8.count == 27)
        // East of UTC the end of 9999 is in the year 10000.
        #expect((29...30).contains(moment.localDescription.utf8.count))
    }

    @Test(
        arguments: [
            (.max, "9999-12-31T23:59:59.999999Z"), (253_402_300_800_000_000, "9999-12-31T23:59:59.999999Z"),
            (-62_167_219_200_000_001, "0000-01-01T00:00:00.000000Z"), (.min, "0000-01-01T00:00:00.000000Z"),
        ] as [(Int64, String)]
    )
    func `a moment beyond four digits of the year is written as the nearest one`(microseconds: Int64, text: String) {
        #expect(Timestamp(microsecondsSince1970: microseconds).description == text)
    }

    @Test func `a local year has all of its digits`() async {
        await #expect(processExitsWith: .success) {
            setenv("TZ", "CET-1", 1)
            tzset()
            let last = Timestamp(microsecondsSince1970: 253_402_300_799_000_000)
            #expect(last.localDescription == "10000-01-01T00:59:59.000+01:00")
        }
    }

    @Test(
        arguments: [
            (.seconds(-1), -1000), (.seconds(Int64.max), .max), (.seconds(Int64.min), .min),
        ] as [(Duration, Int64)]
    )
    func `milliseconds of a duration are clamped`(duration: Duration, milliseconds: Int64) {
        #expect(duration.milliseconds == milliseconds)
    }

    @Test func `moments are ordered`() {
        #expect(Timestamp(microsecondsSince1970: -1) < Timestamp(microsecondsSince1970: 0))
        #expect(!(Timestamp(microsecondsSince1970: 5) < Timestamp(microsecondsSince1970: 5)))
    }

    @Test(
        arguments: [
            (10_000_000, 0), (10_499_999, 0), (9_500_001, 0), (10_500_000, 1), (-3_590_000_000, -3600),
            (1_795_000_010_000_000, 1_795_000_000), (.max, 9_223_372_036_845),
        ] as [(Int64, Int64)]
    )
    func `a past time moves by whole seconds with a clock that was set`(_ now: Int64, _ seconds: Int64) {
        let moved = Timestamp(microsecondsSince1970: 0)
            .moved(elapsed: .seconds(10), until: Timestamp(microsecondsSince1970: now))
        #expect(moved.microsecondsSince1970 == seconds * 1_000_000)
    }
}
