/// Durations and sizes as people write them.
enum Quantity {
    private static let durationUnits: [(suffix: String, milliseconds: Double)] = [
        ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000),
    ]
    private static let longest = 36_500 * 86_400_000.0

    /// A duration with a unit, up to a hundred years: `250ms`, `1.5s`, `5m`, `12h`, `30d`, or `0`.
    static func duration(_ text: String) -> Duration? {
        if text == "0" { return .zero }
        guard let unit = durationUnits.first(where: { text.hasSuffix($0.suffix) }) else { return nil }
        let digits = text.dropLast(unit.suffix.count)
        guard (1...12).contains(digits.utf8.count), digits.utf8.allSatisfy({ isDigit($0) || $0 == UInt8(ascii: ".") }),
            digits.utf8.first.map(isDigit) == true, digits.utf8.last.map(isDigit) == true, let value = Double(digits)
        else { return nil }
        let milliseconds = value * unit.milliseconds
        guard milliseconds <= longest else { return nil }
        let whole = milliseconds.rounded(.down)
        return .milliseconds(Int64(whole)) + .microseconds(Int64(((milliseconds - whole) * 1000).rounded()))
    }

    /// A number of bytes with a unit, up to 1024 GiB: `512`, `512K`, `8M`, `2G` (powers of 1024).
    static func bytes(_ text: String) -> Int? {
        let units: [(suffix: String, shift: Int)] = [("K", 10), ("M", 20), ("G", 30), ("", 0)]
        guard let unit = units.first(where: { text.hasSuffix($0.suffix) }) else { return nil }
        let digits = text.dropLast(unit.suffix.count)
        guard (1...12).contains(digits.utf8.count), digits.utf8.allSatisfy(isDigit), let value = Int(digits) else {
            return nil
        }
        let (bytes, overflow) = value.multipliedReportingOverflow(by: 1 << unit.shift)
        return overflow || bytes > 1 << 40 ? nil : bytes
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
