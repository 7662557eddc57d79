/// Figures as text.
package enum Figure {
    /// With as many digits behind the point; a dash where nothing could be measured.
    package static func text(_ value: Double, digits: Int) -> String {
        guard value.isFinite else { return "-" }
        var scale = 1.0
        for _ in 0..<digits { scale *= 10 }
        let scaled = (value * scale).rounded()
        guard digits > 0, abs(scaled) < 1e15 else { return "\(Int64(exactly: scaled) ?? 0)" }
        let all = Int64(abs(scaled))
        let fraction = String(all % Int64(scale))
        let sign = scaled < 0 ? "-" : ""
        return "\(sign)\(all / Int64(scale))." + String(repeating: "0", count: digits - fraction.count) + fraction
    }
}
