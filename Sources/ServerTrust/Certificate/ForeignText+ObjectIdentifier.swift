internal import ForeignText

extension ForeignText {
    /// The maximum number of octets of an arc, which bounds the time to write it; a UUID below 2.25 (ITU-T X.667) has 19.
    private static let maximumArcOctets = 64
    /// The base of the limbs of an arc, of nine decimal digits each.
    private static let limbBase: UInt64 = 1_000_000_000

    /// Writes the content of an OBJECT IDENTIFIER (ITU-T X.690, section 8.19) in dotted form; nil when it is invalid.
    ///
    /// SwiftASN1 rejects arcs above 63 bits. Different contents have different texts, because every arc is minimal.
    init?(objectIdentifier content: [UInt8]) {
        guard !content.isEmpty else { return nil }
        var text: [UInt8] = []
        var rest = content[...]
        while let first = rest.first {
            guard first != 0x80, let last = rest.firstIndex(where: { $0 < 0x80 }),
                last - rest.startIndex < Self.maximumArcOctets
            else { return nil }
            let octets = rest[...last]
            rest = rest[(last + 1)...]
            if text.isEmpty {
                // The first number has two arcs: 40 times the one, which is 2 at most, and the other.
                let root = min(first / 40, 2)
                text.append(UInt8(ascii: "0") + root)
                text.append(UInt8(ascii: "."))
                text += Self.decimal(octets, minus: UInt64(root) * 40)
            } else {
                text.append(UInt8(ascii: "."))
                text += Self.decimal(octets, minus: 0)
            }
        }
        self.init(text)
    }

    /// Returns the decimal digits of a number in groups of seven bits, less `difference`, which it is not below.
    private static func decimal(_ octets: ArraySlice<UInt8>, minus difference: UInt64) -> [UInt8] {
        // The lowest digits first.
        var limbs: [UInt64] = [0]
        for octet in octets {
            var carry = UInt64(octet & 0x7F)
            for index in limbs.indices {
                let value = limbs[index] * 128 + carry
                limbs[index] = value % limbBase
                carry = value / limbBase
            }
            if carry > 0 { limbs.append(carry) }
        }
        var borrow = difference
        for index in limbs.indices where borrow > 0 {
            let isBelow = limbs[index] < borrow
            limbs[index] = limbs[index] + (isBelow ? limbBase : 0) - borrow
            borrow = isBelow ? 1 : 0
        }
        while limbs.count > 1, limbs.last == 0 { limbs.removeLast() }
        var digits: [UInt8] = []
        for limb in limbs.reversed() {
            let text = String(limb).utf8
            if !digits.isEmpty { digits += repeatElement(UInt8(ascii: "0"), count: 9 - text.count) }
            digits += text
        }
        return digits
    }
}
