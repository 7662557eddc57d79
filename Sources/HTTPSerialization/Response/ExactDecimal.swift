/// A decimal number of any size: 0.DIGITS times ten to the power of `exponent`.
struct ExactDecimal: Hashable, Comparable {
    /// `true` if the number is negative.
    private let isNegative: Bool
    /// The digits 0 to 9, of which neither the first nor the last is 0; empty for zero.
    private let digits: [UInt8]
    private let exponent: Int

    /// Parses a string that is known to be a JSON number.
    init(number text: String) {
        var digits: [UInt8] = []
        var integerDigits = 0
        var isFraction = false
        var exponent = 0
        scan: for (index, byte) in text.utf8.enumerated() {
            switch byte {
            case UInt8(ascii: "."): isFraction = true
            case UInt8(ascii: "e"), UInt8(ascii: "E"):
                exponent = Int(text.dropFirst(index + 1)) ?? 0
                break scan
            case 0x30...0x39:
                digits.append(byte - 0x30)
                if !isFraction { integerDigits += 1 }
            default: break
            }
        }
        let leadingZeros = digits.prefix { $0 == 0 }.count
        digits.removeFirst(leadingZeros)
        while digits.last == 0 { digits.removeLast() }
        self.digits = digits
        isNegative = text.utf8.first == UInt8(ascii: "-") && !digits.isEmpty
        self.exponent = digits.isEmpty ? 0 : exponent + integerDigits - leadingZeros
    }

    static func < (left: ExactDecimal, right: ExactDecimal) -> Bool {
        guard left.isNegative == right.isNegative else { return left.isNegative }
        return left.isNegative ? right.isSmaller(than: left) : left.isSmaller(than: right)
    }

    /// Returns whether the absolute value is smaller.
    private func isSmaller(than other: ExactDecimal) -> Bool {
        if digits.isEmpty || other.digits.isEmpty { return digits.isEmpty && !other.digits.isEmpty }
        guard exponent == other.exponent else { return exponent < other.exponent }
        return digits.lexicographicallyPrecedes(other.digits)
    }
}
