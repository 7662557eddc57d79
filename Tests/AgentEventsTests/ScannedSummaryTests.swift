import AgentEvents
import AgentTestKit
import Testing

@Suite
struct ScannedSummaryTests {
    private static func line(_ data: String) -> [UInt8] {
        let text = #"""
            {"specversion":"1.0","id":"x-7","source":"/reachagent/edge-7","type":"reachagent.probe.summary",\#
            "subject":"web","time":"2026-11-21T08:00:00.000000Z","seq":7,"data":\#(data)}
            """#
        return Array(text.utf8)
    }

    private static let from = #""from":"2026-11-21T07:00:00.000000Z","to":"2026-11-21T07:59:00.000000Z""#
    private static let latency = #""latency":{"min_us":900,"max_us":90000,"sum_us":120000,"buckets":[-60,3,-59,9,0,1]}"#
    private static let whole = #"""
        {"probe":"web","interface":"wlan0","family":"ipv4",\#(from),"ok":13,"failed":{"http_status":1,"timeout":2},\#
        "not_checked":{"link_down":4},\#(latency),"phases":{"connect":[-60,3],"tls":[-50,1]},\#(transfer)}
        """#
    private static let transfer = #"""
        "transfer":{"download":{"min_bps":36900000,"max_bps":38214999,"sum_bps":75114999,"buckets":[42,2]},\#
        "upload":{"min_bps":900000,"max_bps":900000,"sum_bps":900000,"buckets":[-1,1]},\#
        "added":{"min_us":24512,"max_us":24512,"sum_us":24512,"buckets":[-42,1]},"good_bps":100000000}
        """#

    private static func scanned(_ line: [UInt8]) -> ScannedSummary? { ScannedSummary(line.span) }

    private static func decoded(_ line: [UInt8]) -> ScannedSummary? {
        guard case .probeSummary(let summary)? = AgentEvent(line: line)?.content else { return nil }
        return ScannedSummary(summary)
    }

    @Test(arguments: [
        whole, #"{"probe":"web",\#(from),"ok":0}"#, #"{ "ok" : 5 , "probe" : "web" , \#(from) , "later":[{"a":1}] }"#,
        #"{"probe":"wéb",\#(from),"ok":13,"failed":{},\#(latency)}"#,
        #"{"probe":"speed",\#(from),"ok":2,\#(transfer)}"#, #"{"probe":"speed",\#(from),"ok":2,"transfer":{}}"#,
        #"{"probe":"speed",\#(from),"ok":2,"transfer":{"good_bps":7,"later":{"min_bps":1}}}"#,
    ])
    func `a scanned line has the same values as a decoded one`(_ data: String) throws {
        let line = Self.line(data)
        let scanned = try #require(Self.scanned(line))
        #expect(scanned == Self.decoded(line))
    }

    @Test(arguments: ["{}", #"{"good_bps":7}"#, #"{"later":{"min_bps":1}}"#])
    func `sketches without a measurement read as none`(_ transfer: String) throws {
        let line = Self.line(#"{"probe":"speed",\#(Self.from),"ok":2,"transfer":\#(transfer)}"#)
        let scanned = try #require(Self.scanned(line))
        let decoded = try #require(Self.decoded(line))
        #expect(scanned.transfer == nil && decoded.transfer == nil)
    }

    @Test
    func `a line has the point, the counts and the latency`() throws {
        let line = Self.line(Self.whole)
        let summary = try #require(Self.scanned(line))
        #expect(summary.point == ProbePoint(probe: "web", interface: "wlan0", family: "ipv4"))
        #expect(summary.from.description == "2026-11-21T07:00:00.000000Z")
        #expect([summary.succeeded, summary.failed, summary.notChecked] == [13, 3, 4])
        #expect(summary.latency.buckets.map(\.index) == [-60, -59, 0])
        #expect(summary.latency.count == 13)
        let transfer = try #require(summary.transfer)
        #expect(transfer.download.count == 2 && transfer.download.maximum == 38_214_999)
        #expect(transfer.upload.quantile(0.5) == 900_000)
        #expect(transfer.added.quantile(0.95) == 24_512)
        #expect(transfer.goodBitsPerSecond == 100_000_000)
    }

    @Test(arguments: [
        "{}", "7", #"{"probe":"web",\#(from)}"#, #"{"probe":"w\u0065b",\#(from),"ok":1}"#,
        #"{"probe":"web","probe":"dns",\#(from),"ok":1}"#, #"{"probe":"web",\#(from),"ok":-1}"#,
        #"{"probe":"web",\#(from),"ok":1.5}"#, #"{"probe":"web",\#(from),"ok":1e3}"#,
        #"{"probe":"web",\#(from),"ok":1,"interface":null}"#,
        #"{"probe":"web","from":"yesterday","to":"2026-11-21T07:59:00.000000Z","ok":1}"#,
        #"{"probe":"web",\#(from),"ok":9223372036854775807}"#, #"{"probe":"web",\#(from),"ok":1,"failed":{"x":0}}"#,
        #"{"probe":"web",\#(from),"ok":1,"latency":{"min_us":1,"max_us":2,"sum_us":3,"buckets":[]}}"#,
        #"{"probe":"web",\#(from),"ok":1,"latency":{"min_us":1,"max_us":2,"sum_us":3,"buckets":[2,1,1,1]}}"#,
        #"{"probe":"web",\#(from),"ok":1,"latency":{"min_us":1,"max_us":2,"sum_us":3,"buckets":[999,1]}}"#,
        #"{"probe":"web",\#(from),"ok":1,"transfer":{"download":{"buckets":[1,1]}}}"#,
        #"{"probe":"web",\#(from),"ok":1,"transfer":7}"#, #"{"probe":"web",\#(from),"ok":1,"failed":{"x\\y":1}}"#,
        #"{"probe":"web",\#(from),"ok":1,"failed":{"x":1,"x":2}}"#,
        #"{"probe":"web",\#(from),"ok":1,"failed":{"x":1,"\u0078":2}}"#,
        #"{"probe":"web",\#(from),"ok":1,"failed":{"y":1,"x":2}}"#,
        #"{"probe":"web",\#(from),"ok":1,"failed":{"\#(String(repeating: "x", count: 257))":1}}"#,
        #"{"probe":"\#(String(repeating: "x", count: 256))",\#(from),"ok":1}"#,
        #"{"probe":"web",\#(from),"ok":1,"latency":{"buckets":[1,1]}}"#, #"{"probe":"web",\#(from),"ok":1}"# + "x",
    ])
    func `another form is left to decoding`(_ data: String) {
        #expect(Self.scanned(Self.line(data)) == nil)
    }

    @Test(arguments: [#""x\\y":2,"z":1"#, #""\u0078\u005fy":2,"z":1"#, #""a":2,"\u0061":7,"a":7,"z":1"#])
    func `a code with escapes is counted, and each code once`(_ failed: String) {
        let line = Self.line(#"{"probe":"web",\#(Self.from),"ok":1,"failed":{\#(failed)}}"#)
        #expect(Self.scanned(line) == nil)
        #expect(Self.decoded(line)?.failed == 3)
    }

    @Test
    func `scanning any line gives the same as decoding, or nothing`() {
        let whole = Self.line(Self.whole)
        var random = SplitMix(state: 19)
        var scannedCount = 0
        for _ in 0..<20_000 {
            var line = whole
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let position = Int.random(in: 0..<line.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: line[position] = whole[Int.random(in: 0..<whole.count, using: &random)]
                case 1: line.remove(at: position)
                default: line.insert(whole[Int.random(in: 0..<whole.count, using: &random)], at: position)
                }
            }
            guard let scanned = Self.scanned(line), let decoded = Self.decoded(line) else { continue }
            scannedCount += 1
            #expect(scanned == decoded, "\(String(decoding: line, as: UTF8.self))")
        }
        #expect(scannedCount > 100)
    }
}
