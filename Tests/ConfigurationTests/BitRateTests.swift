import AgentTestKit
import Testing

@testable import Configuration

/// Bit rates as people write them.
@Suite struct BitRateTests {
    @Test(arguments: [
        ("1bit/s", 1.0), ("800kbit/s", 800_000), ("1.5Mbit/s", 1_500_000), ("0.5kbit/s", 500), ("1Gbit/s", 1e9),
        ("1000Gbit/s", 1e12), ("0.0004Mbit/s", 400), ("007Mbit/s", 7e6),
    ])
    func `a bit rate is read`(text: String, rate: Double) {
        #expect(Quantity.bitRate(text) == rate)
    }

    @Test(arguments: [
        "", "bit/s", "Mbit/s", "5", "5M", "5Mbit", "5Mbps", "5mbit/s", "5MBit/s", "5KBIT/s", "5 Mbit/s", "-5Mbit/s",
        "+5Mbit/s", ".5Mbit/s", "5.Mbit/s", "1..5Mbit/s", "1e3bit/s", "0x5bit/s", "0bit/s", "0.4bit/s", "1001Gbit/s",
        "infMbit/s", "nanMbit/s", "٣Mbit/s", "99999999999999999bit/s", "5Mbit/s ", "5Mbit/s\u{301}",
        String(repeating: "9", count: 10_000) + "bit/s",
    ])
    func `text that is not a valid bit rate is rejected`(text: String) {
        #expect(Quantity.bitRate(text) == nil)
    }

    @Test(arguments: [
        (0.0, "0bit/s"), (1, "1bit/s"), (999, "999bit/s"), (1000, "1kbit/s"), (1500, "1.5kbit/s"),
        (1_234_567, "1234.567kbit/s"), (1_050_000, "1.05Mbit/s"), (2e9, "2Gbit/s"), (1e12, "1000Gbit/s"),
        (-.infinity, "0bit/s"), (.nan, "0bit/s"), (1e300, "1000Gbit/s"), (12.4, "12bit/s"),
    ])
    func `a bit rate is written with the largest exact unit`(rate: Double, text: String) {
        #expect(Quantity.text(bitRate: rate) == text)
    }

    @Test func `every whole rate is read as it was written`() {
        var random = SplitMix(state: 22)
        for _ in 0..<20_000 {
            let digits = Int.random(in: 1...12, using: &random)
            let rate = Double(Int.random(in: 1...(0..<digits).reduce(1) { product, _ in product * 10 }, using: &random))
            #expect(Quantity.bitRate(Quantity.text(bitRate: rate)) == rate)
        }
    }

    @Test(arguments: [
        ("5M", "5Mbit/s"), ("5 Mbit/s", "5Mbit/s"), ("5mbps", "5Mbit/s"), ("5Mb/s", "5Mbit/s"), ("2MB/s", "16Mbit/s"),
        ("1g", "1Gbit/s"), ("1.5MBps", "12Mbit/s"), ("800K", "800kbit/s"), ("5mbit/s", "5Mbit/s"),
    ])
    func `other notations are corrected`(text: String, correction: String) {
        #expect(Quantity.bitRate(text) == nil)
        #expect(Quantity.likelyBitRate(text) == correction)
    }

    @Test(arguments: ["", "5", "fast", "5s", "5Mi", "M", "5 apples", "9999G", String(repeating: "5", count: 40) + "M"])
    func `ambiguous text is not corrected`(text: String) {
        #expect(Quantity.likelyBitRate(text) == nil)
    }
}
