import Testing

@testable import Probes

@Suite
struct ContentRangeTests {
    @Test(
        arguments: [
            ("bytes 0-499/1234", 0...499, 1234), ("bytes 500-500/501", 500...500, 501), ("Bytes 3-9/*", 3...9, nil),
            ("bytes 0-0/9223372036854775807", 0...0, Int.max),
        ] as [(String, ClosedRange<Int>, Int?)]
    )
    func `a range is read and written`(text: String, bounds: ClosedRange<Int>, size: Int?) throws {
        let range = try #require(ContentRange(text))
        #expect(range.bounds == bounds)
        #expect(range.size == size)
        #expect(ContentRange(range.text) == range)
    }

    @Test
    func `a server may have no such part`() throws {
        let range = try #require(ContentRange("bytes */1234"))
        #expect(range.bounds == nil)
        #expect(range.size == 1234)
    }

    @Test(arguments: [
        "", "bytes", "bytes ", "bytes 0-499", "bytes 0-499/", "bytes -499/1234", "bytes 0-/1234", "bytes 9-3/1234",
        "bytes 0-1234/1234", "bytes */*", "items 0-1/2", "bytes=0-1/2", "bytes  0-1/2", "bytes 0-1/2 ", "bytes +0-1/2",
        "bytes 0-9223372036854775808/*", "bytes 0-1/2/3", "bytes 0-1-2/3", "bytes 0-1/2, 3-4/5", "bytes ٠-١/٢",
        "bytes 0-1/" + String(repeating: "0", count: 100),
    ])
    func `anything else is not a valid range`(text: String) {
        #expect(ContentRange(text) == nil)
    }
}
