extension Transfer {
    /// `38.2 Mbit/s down, 9.4 Mbit/s up, +24.5 ms under load`; empty if nothing was measured.
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

extension TransferSketches {
    /// The medians: `38.2 Mbit/s down, 9.4 Mbit/s up, +24.5 ms under load`; `nil` without a measurement.
    package var summary: String? {
        let medians = [(download, "down"), (upload, "up")].compactMap { rates, direction in
            rates.quantile(0.5).map { "\(SummaryText.bitRate($0)) \(direction)" }
        }
        let latency = added.quantile(0.5).map { ["+\(SummaryText.latency(microseconds: $0)) under load"] } ?? []
        return medians.isEmpty && latency.isEmpty ? nil : (medians + latency).joined(separator: ", ")
    }
}

extension AgentStatus.TransferStatus {
    /// `38.2 Mbit/s down, +24.5 ms under load; 24 h: 36.1 Mbit/s down, +20.0 ms under load`.
    package var summary: String {
        let last = Self.words(downloadBitsPerSecond, uploadBitsPerSecond, addedMicroseconds)
        let medians = day.map {
            Self.words($0.downloadBitsPerSecond, $0.uploadBitsPerSecond, $0.addedMicroseconds)
        }
        // A single transfer is its own median.
        guard let day, let medians, !medians.isEmpty, day.count > 1 || last.isEmpty else { return last }
        return (last.isEmpty ? "" : "\(last); ") + "24 h: \(medians)"
    }

    private static func words(_ download: Int64?, _ upload: Int64?, _ added: Int64?) -> String {
        let parts = [
            download.map { "\(SummaryText.bitRate($0)) down" }, upload.map { "\(SummaryText.bitRate($0)) up" },
            added.map { "+\(SummaryText.latency(microseconds: $0)) under load" },
        ]
        return parts.compactMap(\.self).joined(separator: ", ")
    }
}

extension CheckReport {
    /// `; 38.2 Mbit/s down`; empty for a check without a transfer.
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
    /// Formats a bit rate with three digits: `850 bit/s`, `38.2 Mbit/s`, `1.25 Gbit/s`.
    package static func bitRate(_ bitsPerSecond: Int64) -> String {
        let rate = min(max(0, Double(bitsPerSecond)), 999e12)
        guard rate >= 999.5 else { return "\(Int(rate.rounded())) bit/s" }
        var (value, unit) = (rate / 1000, "kbit/s")
        // A rate that rounds to 1000 of a unit is shown as 1 of the next unit.
        for next in ["Mbit/s", "Gbit/s", "Tbit/s"] where value >= 999.5 { (value, unit) = (value / 1000, next) }
        return "\(value < 9.995 ? fixed(value, 100) : value < 99.95 ? fixed(value, 10) : fixed(value, 1)) \(unit)"
    }

    /// Formats a part of a rate in the unit of the whole, rounded down: `38.2 of 100 Mbit/s`, `0.82 of 5 Mbit/s`.
    package static func bitRate(_ bitsPerSecond: Int64, outOf whole: Int64) -> String {
        var (scale, unit) = (1.0, "bit/s")
        for (next, name) in [(1e3, "kbit/s"), (1e6, "Mbit/s"), (1e9, "Gbit/s")] where Double(whole) >= next {
            (scale, unit) = (next, name)
        }
        return "\(plain(Double(bitsPerSecond) / scale)) of \(plain(Double(whole) / scale)) \(unit)"
    }

    /// Formats a number with at most three digits from one on, rounded down, without trailing zeros.
    private static func plain(_ value: Double) -> String {
        let step = value < 10 ? 1 : value < 100 ? 10 : 100
        // Adds a millionth, because 0.29 times 100 is less than 29.
        let hundredths = Int(min(max(0, value), 1e9) * 100 + 1e-6) / step * step
        let fraction = String(hundredths % 100 + 100).dropFirst()
        guard hundredths % 100 > 0 else { return "\(hundredths / 100)" }
        return "\(hundredths / 100).\(hundredths % 10 == 0 ? fraction.dropLast() : fraction)"
    }

    /// Formats a number in tenths or hundredths: `38.0`.
    private static func fixed(_ value: Double, _ scale: Int) -> String {
        let digits = Int((value * Double(scale)).rounded())
        guard scale > 1 else { return "\(digits)" }
        return "\(digits / scale).\(String(digits % scale + scale).dropFirst())"
    }
}
