extension Transfer {
    /// `38.2 Mbit/s down, 9.4 Mbit/s up, +24.5 ms under load`; empty when nothing was measured.
    public var summary: String {
        var parts: [String] = []
        if let rate = download?.goodput?.p50 { parts.append("\(SummaryText.bitRate(rate)) down") }
        if let rate = upload?.goodput?.p50 { parts.append("\(SummaryText.bitRate(rate)) up") }
        if let added = addedMicroseconds {
            parts.append("+\(SummaryText.latency(microseconds: added)) under load")
        }
        if !seams.isEmpty { parts.append(seams.count == 1 ? "resumed once" : "resumed \(seams.count) times") }
        return parts.joined(separator: ", ")
    }
}

extension CheckReport {
    /// `; 38.2 Mbit/s down`; nothing for a check without a transfer.
    var transferred: String {
        guard let summary = transfer?.summary, !summary.isEmpty else { return "" }
        return "; \(summary)"
    }
}

extension ProbeProgress {
    /// `download 60 %, 38.2 Mbit/s, +24.5 ms`, or `completed after 4.2 s`.
    public var summary: String {
        switch phase {
        case "download", "upload":
            var text = "\(phase) \(percentage) %"
            if let bitsPerSecond { text += ", \(SummaryText.bitRate(bitsPerSecond))" }
            if let addedMicroseconds { text += ", +\(SummaryText.latency(microseconds: addedMicroseconds))" }
            return text
        default: return "\(phase) after \(SummaryText.lasting(milliseconds: elapsedMicroseconds / 1000))"
        }
    }

    private var percentage: Int {
        guard totalBytes > 0 else { return 100 }
        return Int(100 * Double(min(max(0, bytes), totalBytes)) / Double(totalBytes))
    }
}

extension SummaryText {
    /// A bit rate with three digits: `850 bit/s`, `38.2 Mbit/s`, `1.25 Gbit/s`.
    package static func bitRate(_ bitsPerSecond: Int64) -> String {
        let rate = min(max(0, Double(bitsPerSecond)), 999e12)
        guard rate >= 999.5 else { return "\(Int(rate.rounded())) bit/s" }
        var (value, unit) = (rate / 1000, "kbit/s")
        // A rate that rounds to 1000 of a unit is 1 of the next one.
        for next in ["Mbit/s", "Gbit/s", "Tbit/s"] where value >= 999.5 { (value, unit) = (value / 1000, next) }
        return "\(value < 9.995 ? fixed(value, 100) : value < 99.95 ? fixed(value, 10) : fixed(value, 1)) \(unit)"
    }

    /// A number in tenths or hundredths: `38.0`.
    private static func fixed(_ value: Double, _ scale: Int) -> String {
        let digits = Int((value * Double(scale)).rounded())
        guard scale > 1 else { return "\(digits)" }
        return "\(digits / scale).\(String(digits % scale + scale).dropFirst())"
    }
}
