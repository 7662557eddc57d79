import AgentEvents
import Availability
import Testing

@testable import StatePages

/// The throughput of uplinks on the page.
@Suite struct TransferBarsTests {
    private static func svg(_ bars: TransferBars) -> String {
        var html = HTMLText()
        bars.write(to: &html)
        return String(decoding: html.bytes, as: UTF8.self)
    }

    @Test func `an hour has its bar, a slow one a narrow bar, and one without a transfer a dash`() throws {
        let bars = try #require(TransferBars("24 hours", Samples.series.hours) { "\($0)" })
        let svg = Self.svg(bars)
        #expect(svg.split(separator: "class=\"none\"").count == 23)
        // 38.2 of 94 Mbit/s: 3 + 29 * 0.406.
        #expect(svg.contains("<rect class=\"less\" x=\"68\" y=\"18\" width=\"1\" height=\"14\">"))
        #expect(svg.contains("<rect class=\"full\" x=\"92\" y=\"0\" width=\"3\" height=\"32\">"))
        #expect(svg.contains("38.2 Mbit/s down, 9.40 Mbit/s up, +612 ms under load, below 90.0 Mbit/s</title>"))
        #expect(svg.contains("no transfer</title>"))
        #expect(bars.summary.hasPrefix("throughput of 24 hours: "))
        #expect(bars.summary.hasSuffix("; 2 with transfers; below 90.0 Mbit/s in 1 of them"))
    }

    @Test func `a time without a rate has no bars`() {
        let empty = RecentTransfers.Slot(start: Samples.hour(0), transfers: TransferSketches())
        #expect(TransferBars("24 hours", [empty]) { "\($0)" } == nil)
        #expect(TransferBars("24 hours", []) { "\($0)" } == nil)
    }

    @Test(arguments: [0, 1, .max] as [Int64])
    func `no rate is higher than its box, and none is invisible`(rate: Int64) throws {
        var sketches = TransferSketches()
        sketches.download.add(microseconds: rate)
        sketches.goodBitsPerSecond = .max
        let bars = try #require(
            TransferBars("30 days", [.init(start: Samples.hour(0), transfers: sketches)]) { _ in "<day>" }
        )
        let svg = Self.svg(bars)
        #expect(svg.contains("&lt;day&gt;"))
        #expect((3...32).contains { svg.contains("height=\"\($0)\"><title>") })
    }

    @Test func `a card has the hours and the days of its uplink`() throws {
        let page = String(decoding: StatusPage.bytes(of: Samples.page, local: \.description), as: UTF8.self)
        let card = try #require(page.split(separator: "id=\"uplink-wwan0\"").last?.split(separator: "</article>").first)
        #expect(card.contains("throughput, 24 hours</span>") && card.contains("throughput, 30 days</span>"))
        #expect(page.split(separator: "throughput, 24 hours</span>").count == 2)
        #expect(page.contains("a narrow bar is below the rate"))
        var content = Samples.page
        content.transfers = [nil: Samples.series]
        let other = String(decoding: StatusPage.bytes(of: content, local: \.description), as: UTF8.self)
        let path = try #require(
            other.split(separator: "id=\"default-path\"").last?.split(separator: "</article>").first
        )
        #expect(path.contains("throughput, 30 days</span>"))
    }
}
