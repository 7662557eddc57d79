extension Quantity {
    /// The units of bit rates, the largest first: powers of 1000, as providers and network equipment count.
    private static let bitRateUnits: [(suffix: String, bits: Double)] = [
        ("Gbit/s", 1e9), ("Mbit/s", 1e6), ("kbit/s", 1e3), ("bit/s", 1),
    ]

    /// The maximum bit rate: 1000 Gbit/s.
    package static let maxBitRate = 1e12

    /// A bit rate with a unit, in whole bits per second from 1 on: `800kbit/s`, `1.5Mbit/s`, `1Gbit/s`.
    package static func bitRate(_ text: String) -> Double? {
        guard text.utf8.count <= 32, let unit = bitRateUnits.first(where: { text.utf8.hasSuffix($0.suffix) }),
            let value = decimal(text.utf8.dropLast(unit.suffix.utf8.count))
        else { return nil }
        let rate = (value * unit.bits).rounded()
        return (1...maxBitRate).contains(rate) ? rate : nil
    }

    /// A bit rate with the largest unit in which at most three decimals are exact, or nearly so.
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

    /// The bit rate that was probably meant by another notation, such as `5M`, `5mbps` and `2MB/s`.
    static func likelyBitRate(_ text: String) -> String? {
        guard text.utf8.count <= 32 else { return nil }
        let digits = text.utf8.prefix { isDecimalCharacter($0) }
        guard let value = decimal(digits) else { return nil }
        let rest = String(decoding: text.utf8.dropFirst(digits.count), as: UTF8.self).filter { $0 != " " }
        guard let prefix = rest.lowercased().first,
            let unit = bitRateUnits.first(where: { $0.bits > 1 && $0.suffix.lowercased().first == prefix }),
            ["", "b", "bit", "bits", "bps", "b/s", "bit/s", "bits/s"].contains(rest.dropFirst().lowercased())
        else { return nil }
        // A capital B stands for bytes.
        let rate = (value * unit.bits * (rest.contains("B" as Character) ? 8 : 1)).rounded()
        return (1...maxBitRate).contains(rate) ? self.text(bitRate: rate) : nil
    }

    /// A number without a sign, that begins and ends with a digit.
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
