internal import AgentEvents
internal import Availability

/// The checks of 24 hours: a band from p50 to p95 for each hour, and a triangle below an hour with failures.
struct LatencyBand {
    private static let (width, gap, top, bottom) = (3, 1, 2.0, 25.0)

    private let hours: [RecentLatency.Hour]
    private let clock: PageClock
    /// The durations of all hours.
    let latency: ExponentialHistogram
    private let counts: (succeeded: Int, failed: Int)

    init(_ hours: [RecentLatency.Hour], _ clock: PageClock) {
        self.hours = hours
        self.clock = clock
        var sum = ExponentialHistogram()
        for hour in hours { sum.merge(hour.latency) }
        latency = sum
        counts = hours.reduce((0, 0)) { sum, hour in (sum.0 &+ hour.succeeded, sum.1 &+ hour.failed) }
    }

    /// `28 ms`; `nil` when no check succeeded.
    func quantile(_ share: Double) -> String? { latency.quantile(share).map(SummaryText.latency(microseconds:)) }

    /// The share of the checks that failed, never rounded to none: `0 %`, `< 0.1 %`, `3.2 %`; `nil` without a check.
    var loss: String? {
        let total = Double(counts.succeeded) + Double(counts.failed)
        guard total > 0 else { return nil }
        guard counts.failed > 0 else { return "0 %" }
        guard counts.succeeded > 0 else { return "100 %" }
        let tenths = Int((Double(counts.failed) / total * 1000).rounded())
        switch tenths {
        case 0: return "< 0.1 %"
        case 1000...: return "> 99.9 %"
        default: return "\(tenths / 10).\(tenths % 10) %"
        }
    }

    /// The last 24 hours in words.
    var summary: String {
        guard let median = quantile(0.5), let high = quantile(0.95) else {
            return counts.failed > 0 ? "\(SummaryText.number(counts.failed)) checks failed, none succeeded" : "no data"
        }
        return "last 24 hours: median \(median), 95 % within \(high), loss \(loss ?? "not known")"
    }

    func write(to html: inout HTMLText) {
        let first = RecentLatency.firstHour(at: clock.now)
        let columns = RecentLatency.hours * (Self.width + Self.gap) - Self.gap
        html.raw("<svg class=\"band\" viewBox=\"0 0 \(columns) 32\" preserveAspectRatio=\"none\" role=\"img\"")
        html.attribute("aria-label", summary)
        html.raw(">")
        let highest = hours.compactMap { $0.latency.quantile(0.95) }.max() ?? 0
        func level(_ microseconds: Int64) -> Double {
            Self.bottom - (Self.bottom - Self.top) * Double(microseconds) / Double(max(1, highest))
        }
        for column in 0..<RecentLatency.hours {
            let start = Timestamp(
                microsecondsSince1970: first.microsecondsSince1970 &+ Int64(column) * 3_600_000_000
            )
            let x = column * (Self.width + Self.gap)
            html.raw("<g><title>")
            let hour = hours.first { $0.start == start }
            html.text(words(hour, at: start))
            html.raw("</title>")
            if let hour, let median = hour.latency.quantile(0.5), let high = hour.latency.quantile(0.95) {
                let (low, up) = (level(median), level(high))
                html.raw("<rect class=\"range\" x=\"\(x)\" y=\"\(Self.decimal(up))\" width=\"\(Self.width)\"")
                html.raw(" height=\"\(Self.decimal(max(1, low - up)))\"/><rect class=\"median\" x=\"\(x)\"")
                html.raw(" y=\"\(Self.decimal(low - 0.8))\" width=\"\(Self.width)\" height=\"1.6\"/>")
            } else if hour == nil {
                html.raw(
                    "<rect class=\"none\" x=\"\(x)\" y=\"\(Int(Self.bottom))\" width=\"\(Self.width)\" height=\"1\"/>"
                )
            }
            if let hour, hour.failed > 0 {
                html.raw("<path class=\"fail\" d=\"M\(x) 32h\(Self.width)l-1.5-5z\"/>")
            }
            html.raw("</g>")
        }
        html.raw("</svg>")
    }

    /// `14:00: p50 28 ms, p95 57 ms, 60 checks, 2 failed`.
    private func words(_ hour: RecentLatency.Hour?, at start: Timestamp) -> String {
        let time = clock.local(start).dropFirst(11).prefix(5)
        guard let hour else { return "\(time): no check" }
        var parts: [String] = []
        if let median = hour.latency.quantile(0.5), let high = hour.latency.quantile(0.95) {
            parts.append("p50 \(SummaryText.latency(microseconds: median))")
            parts.append("p95 \(SummaryText.latency(microseconds: high))")
        }
        parts.append(SummaryText.count(UInt64(clamping: hour.succeeded &+ hour.failed), "check"))
        if hour.failed > 0 { parts.append("\(SummaryText.number(hour.failed)) failed") }
        return "\(time): \(parts.joined(separator: ", "))"
    }

    /// A number with one decimal, whatever the locale.
    private static func decimal(_ value: Double) -> String {
        let tenths = Int((max(0, min(1000, value)) * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }
}
