/// Durations, sizes and bit rates in human-readable form.
package enum Quantity {
    private static let durationUnits: [(suffix: String, milliseconds: Double)] = [
        ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1),
    ]
    private static let longest = 36_500 * 86_400_000.0

    /// Parses a duration with units, up to a hundred years: `250ms`, `1.5s`, `1m30s`, `12h`, `30d`, or `0`.
    ///
    /// Larger units precede smaller ones, and only the last number may have decimals.
    package static func duration(_ text: String) -> Duration? {
        if text == "0" { return .zero }
        var rest = Array(text.utf8)[...]
        var units = durationUnits[...]
        var milliseconds = 0.0
        guard !rest.isEmpty, rest.count <= 64 else { return nil }
        while !rest.isEmpty {
            let digits = rest.prefix { isDigit($0) || $0 == UInt8(ascii: ".") }
            let suffix = rest.dropFirst(digits.count).prefix { !isDigit($0) }
            rest = rest.dropFirst(digits.count + suffix.count)
            guard (1...12).contains(digits.count), digits.first.map(isDigit) == true, digits.last.map(isDigit) == true,
                rest.isEmpty || digits.allSatisfy(isDigit),
                let unit = units.firstIndex(where: { $0.suffix.utf8.elementsEqual(suffix) }),
                let value = Double(String(decoding: digits, as: UTF8.self))
            else { return nil }
            milliseconds += value * units[unit].milliseconds
            units = units[(unit + 1)...]
        }
        guard milliseconds <= longest else { return nil }
        let whole = milliseconds.rounded(.down)
        return .milliseconds(Int64(whole)) + .microseconds(Int64(((milliseconds - whole) * 1000).rounded()))
    }

    /// Parses a number of bytes with a unit, up to 1024 GiB: `512`, `512K`, `8M`, `2G` (powers of 1024).
    package static func bytes(_ text: String) -> Int? {
        guard text.utf8.count <= 16 else { return nil }
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

extension Quantity {
    /// The units of bit rates, the largest first: powers of 1000, as providers and network equipment count.
    private static let bitRateUnits: [(suffix: String, bits: Double)] = [
        ("Gbit/s", 1e9), ("Mbit/s", 1e6), ("kbit/s", 1e3), ("bit/s", 1),
    ]

    /// The maximum bit rate: 1000 Gbit/s.
    package static let maxBitRate = 1e12

    /// Parses a bit rate with a unit, in whole bits per second, at least 1: `800kbit/s`, `1.5Mbit/s`, `1Gbit/s`.
    package static func bitRate(_ text: String) -> Double? {
        guard text.utf8.count <= 32, let unit = bitRateUnits.first(where: { text.utf8.hasSuffix($0.suffix) }),
            let value = decimal(text.utf8.dropLast(unit.suffix.utf8.count))
        else { return nil }
        let rate = (value * unit.bits).rounded()
        return (1...maxBitRate).contains(rate) ? rate : nil
    }

    /// Returns a bit rate with the largest unit in which at most three decimals are exact, or nearly so.
    package static func text(bitRate: Double) -> String {
        let rate = bitRate.isFinite ? min(max(0, bitRate), maxBitRate).rounded() : 0
        for (suffix, bits) in bitRateUnits where rate >= bits {
            let thousandths = rate / bits * 1000
            guard bits == 1 || thousandths == thousandths.rounded() else { continue }
            let (whole, decimals) = Int(thousandths).quotientAndRemainder(dividingBy: 1000)
            guard decimals > 0 else { return "\(whole)\(suffix)" }
            let padded = String("000\(decimals)".suffix(3))
            return "\(whole).\(padded.prefix(through: padded.lastIndex { $0 != "0" } ?? padded.startIndex))\(suffix)"
        }
        return "0bit/s"
    }

    /// Returns the bit rate that another notation probably means, such as `5M`, `5mbps` and `2MB/s`.
    static func likelyBitRate(_ text: String) -> String? {
        guard text.utf8.count <= 32 else { return nil }
        let digits = text.utf8.prefix { isDecimalCharacter($0) }
        guard let value = decimal(digits) else { return nil }
        let rest = String(decoding: text.utf8.dropFirst(digits.count), as: UTF8.self).filter { $0 != " " }
        guard let prefix = rest.lowercased().first,
            let unit = bitRateUnits.first(where: { $0.bits > 1 && $0.suffix.lowercased().first == prefix }),
            ["", "b", "bit", "bits", "bps", "b/s", "bit/s", "bits/s"].contains(rest.dropFirst().lowercased())
        else { return nil }
        // A capital B means bytes.
        let rate = (value * unit.bits * (rest.contains("B" as Character) ? 8 : 1)).rounded()
        return (1...maxBitRate).contains(rate) ? self.text(bitRate: rate) : nil
    }

    /// Parses an unsigned number that starts and ends with a digit.
    private static func decimal(_ digits: Substring.UTF8View) -> Double? {
        guard (1...16).contains(digits.count), digits.allSatisfy(isDecimalCharacter),
            digits.first != UInt8(ascii: "."), digits.last != UInt8(ascii: ".")
        else { return nil }
        return Double(String(decoding: digits, as: UTF8.self))
    }

    private static func isDecimalCharacter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: ".")
    }
}

extension String.UTF8View {
    fileprivate func hasSuffix(_ suffix: String) -> Bool { self.suffix(suffix.utf8.count).elementsEqual(suffix.utf8) }
}
