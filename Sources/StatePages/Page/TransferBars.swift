internal import AgentEvents
internal import Availability

/// The transfers of hours or days as bars: the height shows the median rate, a narrow bar a point's rate below its good
/// rate, and a dash a slot without a rate.
struct TransferBars {
    private static let (width, narrowWidth, gap, height) = (3, 1, 1, 32)
    /// The height of the lowest rate, which must be visible.
    private static let lowest = 3

    /// The title: `24 hours` or `30 days`.
    let title: String
    private let slots: [RecentTransfers.Slot]
    /// Returns the name of a slot: `14:00`, or the date.
    private let name: (Timestamp) -> String

    /// Creates the bars of a period; `nil` if no slot has a rate.
    init?(_ title: String, _ slots: [RecentTransfers.Slot], name: @escaping (Timestamp) -> String) {
        guard slots.contains(where: { $0.transfers.judged.count > 0 }) else { return nil }
        (self.title, self.slots, self.name) = (title, slots, name)
    }

    /// The medians of the whole period: `38.2 Mbit/s down, +24.5 ms under load`.
    var medians: String {
        slots.reduce(into: TransferSketches()) { $0.merge($1.transfers) }.summary ?? ""
    }

    /// The description of the bars for screen readers.
    var summary: String {
        let missed = slots.compactMap(\.missedBitsPerSecond)
        let good = missed.last ?? slots.compactMap(\.transfers.goodBitsPerSecond).last
        let rates = Set(missed).count > 1 ? "the configured rates" : good.map { SummaryText.bitRate($0) }
        let below = rates.map { "; below \($0) in \(missed.count) of them" } ?? ""
        let count = slots.count { $0.transfers.judged.count > 0 }
        return "throughput of \(title): \(medians); \(count) with transfers\(below)"
    }

    func write(to html: inout HTMLText) {
        let columns = slots.count * (Self.width + Self.gap) - Self.gap
        html.openChart("bars", width: columns, height: Self.height, summary)
        let highest = Double(slots.compactMap { $0.transfers.judged.quantile(0.5) }.max() ?? 1)
        let good = Double(slots.compactMap(\.transfers.goodBitsPerSecond).max() ?? 0)
        // The good rate determines the scale, unless it is so high that the bars would be indistinguishable.
        let scale = max(1, highest, min(good, highest * 4))
        for (index, slot) in slots.enumerated() {
            let shape: (style: String, height: Int) =
                if let rate = slot.transfers.judged.quantile(0.5) {
                    (slot.missedBitsPerSecond != nil ? "less" : "full", Self.height(rate, on: scale))
                } else {
                    ("none", 0)
                }
            let (y, height) = shape.height == 0 ? (Self.height / 2 - 1, 2) : (Self.height - shape.height, shape.height)
            html.raw("<rect class=\"\(shape.style)\" x=\"\(index * (Self.width + Self.gap))\" y=\"\(y)\"")
            let width = slot.missedBitsPerSecond != nil ? Self.narrowWidth : Self.width
            html.raw(" width=\"\(width)\" height=\"\(height)\"><title>")
            html.text("\(name(slot.start)): \(slot.transfers.summary ?? "no transfer")")
            if let good = slot.missedBitsPerSecond { html.text(", below \(SummaryText.bitRate(good))") }
            html.raw("</title></rect>")
        }
        html.raw("</svg>")
    }

    private static func height(_ rate: Int64, on scale: Double) -> Int {
        lowest + Int(Double(height - lowest) * min(1, Double(max(0, rate)) / scale))
    }
}

extension StatusPage {
    /// Writes the throughput of an uplink by hour and by day.
    func writeTransfers(_ series: RecentTransfers.Series?, _ html: inout HTMLText) {
        guard let series else { return }
        let bars = [
            TransferBars("24 hours", series.hours) { String(clock.local($0).dropFirst(11).prefix(5)) },
            TransferBars("30 days", series.days) { String(clock.local($0).prefix(10)) },
        ]
        for bars in bars.compactMap(\.self) {
            html.raw("<div>")
            bars.write(to: &html)
            html.raw("<p class=\"row\"><span class=\"dim\">")
            html.text("throughput, \(bars.title)")
            html.raw("</span>")
            html.element("b", bars.medians)
            html.raw("</p></div>")
        }
    }
}
