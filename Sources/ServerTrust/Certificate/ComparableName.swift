internal import ForeignText

/// The text of an attribute, normalized for comparison by RFC 5280, section 7.1: case-insensitive, with single spaces.
///
/// The letters are lower-cased one by one, and the bytes are compared: linear for any text. Texts that differ only in
/// the encoding of accents are also equal, as long as they are short: Unicode's canonical order sorts runs of combining
/// marks, in quadratic time.
struct ComparableName: Sendable, Equatable {
    /// The maximum number of bytes for canonical equivalence; RFC 5280 allows 64 characters in most attributes.
    static let maximumCanonicalLength = 256

    private let folded: ForeignText
    /// The hash of the canonical form, if it applies: computed once, and not for each comparison.
    private let canonicalHash: Int?

    init(_ text: ForeignText) {
        if text.bytes.allSatisfy({ $0 < 0x80 }) {
            folded = ForeignText(Self.folded(text.bytes))
            canonicalHash = nil
        } else {
            folded = ForeignText(Self.folded(String(decoding: text.bytes, as: UTF8.self).unicodeScalars))
            let isShort = folded.bytes.count <= Self.maximumCanonicalLength
            canonicalHash = isShort ? String(decoding: folded.bytes, as: UTF8.self).hashValue : nil
        }
    }

    static func == (one: Self, other: Self) -> Bool {
        if one.folded == other.folded { return true }
        guard let hash = one.canonicalHash, hash == other.canonicalHash else { return false }
        return String(decoding: one.folded.bytes, as: UTF8.self) == String(decoding: other.folded.bytes, as: UTF8.self)
    }

    private static func folded(_ text: [UInt8]) -> [UInt8] {
        var folded: [UInt8] = []
        folded.reserveCapacity(text.count)
        var hasSpace = false
        for byte in text {
            if byte == 0x20 || (0x09...0x0D).contains(byte) {
                hasSpace = true
                continue
            }
            if hasSpace, !folded.isEmpty { folded.append(0x20) }
            hasSpace = false
            folded.append(byte.lowercasedASCII)
        }
        return folded
    }

    /// Returns the case-folded bytes; not a string, which would be copied whenever it grows.
    private static func folded(_ text: String.UnicodeScalarView) -> [UInt8] {
        var folded: [UInt8] = []
        var hasSpace = false
        for scalar in text {
            if scalar.properties.isWhitespace {
                hasSpace = true
                continue
            }
            if hasSpace, !folded.isEmpty { folded.append(0x20) }
            hasSpace = false
            if scalar.properties.changesWhenLowercased {
                folded += scalar.properties.lowercaseMapping.utf8
            } else {
                folded += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
            }
        }
        return folded
    }
}
