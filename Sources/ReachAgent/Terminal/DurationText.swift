internal import EventEnvelope
internal import EventSchema

/// Durations as people compare them.
enum DurationText {
    /// Milliseconds with as many decimals as matter: `0.04 ms`, `12.3 ms`, `4503 ms`.
    static func milliseconds(_ duration: Duration) -> String {
        let microseconds = max(0, duration.microseconds)
        switch microseconds {
        case ..<10_000: return fixed(microseconds, unit: 1000, decimals: 2) + " ms"
        case ..<1_000_000: return fixed(microseconds, unit: 1000, decimals: 1) + " ms"
        default: return fixed(microseconds, unit: 1000, decimals: 0) + " ms"
        }
    }

    private static func fixed(_ value: Int64, unit: Int64, decimals: Int) -> String {
        var scale: Int64 = 1
        for _ in 0..<decimals { scale *= 10 }
        let step = unit / scale
        let rounded = (value + step / 2) / step
        guard decimals > 0 else { return String(rounded) }
        let fraction = String(rounded % scale)
        return "\(rounded / scale)." + String(repeating: "0", count: decimals - fraction.count) + fraction
    }
}
