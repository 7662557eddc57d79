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
        let empty = RecentTransfers.Slot(start: Samples.hour(0), points: [])
        #expect(TransferBars("24 hours", [empty]) { "\($0)" } == nil)
        #expect(TransferBars("24 hours", []) { "\($0)" } == nil)
    }

    @Test(arguments: [0, 1, .max] as [Int64])
    func `no rate is higher than its box, and none is invisible`(rate: Int64) throws {
        var sketches = TransferSketches()
        sketches.download.add(microseconds: rate)
        sketches.goodBitsPerSecond = .max
        let bars = try #require(
            TransferBars("30 days", [.init(start: Samples.hour(0), points: [sketches])]) { _ in "<day>" }
        )
        let svg = Self.svg(bars)
        #expect(svg.contains("&lt;day&gt;"))
        #expect((3...32).contains { svg.contains("height=\"\($0)\"><title>") })
    }

    private static func sketches(down: Int64? = nil, up: Int64? = nil, good: Int64) -> TransferSketches {
        var sketches = TransferSketches()
        if let down { sketches.download.add(microseconds: down) }
        if let up { sketches.upload.add(microseconds: up) }
        sketches.goodBitsPerSecond = good
        return sketches
    }

    @Test(
        arguments: [
            (60_000_000, 6_000_000, "full", "6.00 Mbit/s up</title>", "below 50.0 Mbit/s in 0 of them"),
            (60_000_000, 3_000_000, "less", ", below 5.00 Mbit/s</title>", "below 5.00 Mbit/s in 1 of them"),
            (40_000_000, 6_000_000, "less", ", below 50.0 Mbit/s</title>", "below 50.0 Mbit/s in 1 of them"),
        ] as [(Int64, Int64, String, String, String)]
    )
    func `each probe over an uplink is judged by its own good rate`(
        down: Int64,
        up: Int64,
        style: String,
        title: String,
        summary: String
    ) throws {
        let points = [Self.sketches(up: up, good: 5_000_000), Self.sketches(down: down, good: 50_000_000)]
        for points in [points, points.reversed()] {
            let slot = RecentTransfers.Slot(start: Samples.hour(0), points: points)
            let bars = try #require(TransferBars("24 hours", [slot]) { "\($0)" })
            #expect(Self.svg(bars).contains("<rect class=\"\(style)\""))
            #expect(Self.svg(bars).contains(title), "\(Self.svg(bars))")
            #expect(bars.summary.hasSuffix("; 1 with transfers; \(summary)"), "\(bars.summary)")
        }
    }

    @Test func `hours below different good rates are counted together`() throws {
        let slots = [Self.sketches(down: 40, good: 50), Self.sketches(up: 3, good: 5)].map { sketches in
            RecentTransfers.Slot(start: Samples.hour(0), points: [sketches])
        }
        let bars = try #require(TransferBars("24 hours", slots) { "\($0)" })
        #expect(bars.summary.hasSuffix("; 2 with transfers; below the configured rates in 2 of them"))
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
