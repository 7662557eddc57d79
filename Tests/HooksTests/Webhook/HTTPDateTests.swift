import Testing

@testable import Hooks

@Suite
struct HTTPDateTests {
    /// 2026-01-01T00:00:00Z.
    private static let now = 1_767_225_600

    @Test(arguments: [
        ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
        ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Sun Nov 16 08:49:37 1994", 784_975_777),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Thu, 29 Feb 2024 12:00:00 GMT", 1_709_208_000),
        ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800), ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
        // Within 50 years it is of the future, beyond that of the past.
        ("Thursday, 01-Jan-75 00:00:00 GMT", 3_313_526_400), ("Saturday, 01-Jan-77 00:00:00 GMT", 220_924_800),
    ])
    func `all three formats of a date are read`(text: String, seconds: Int) {
        #expect(HTTPDate.seconds(text, now: Self.now) == seconds)
    }

    @Test(arguments: [
        "", " ", "now", "1994", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC",
        "Sun, 06 Nov 94 08:49:37 GMT",
        "Sun, 06 nov 1994 08:49:37 GMT", "Sun, 31 Feb 2027 08:49:37 GMT", "Sun, 29 Feb 2026 08:49:37 GMT",
        "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:00 GMT",
        "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Nov 1994 8:49:37 GMT",
        "Sun, -6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 19940 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT GMT",
        "Sunday, 06-Nov-1994 08:49:37 GMT", "Sunday, 06-Nov 08:49:37 GMT", "Sun Nov  6 08:49:37 94",
        "Sun, ٠٦ Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT" + String(repeating: " ", count: 100_000),
    ])
    func `anything else is not a date`(text: String) {
        #expect(HTTPDate.seconds(text, now: Self.now) == nil)
    }
}
