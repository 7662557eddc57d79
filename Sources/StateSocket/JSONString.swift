internal import ForeignText

/// Strings in JSON text that is known to be well-formed.
enum JSONString {
    /// Where a string ends that stands at the beginning of a text: behind its second quotation mark.
    static func end(in text: ArraySlice<UInt8>) -> Int {
        var position = text.startIndex + 1
        while position < text.endIndex {
            switch text[position] {
            case UInt8(ascii: "\""): return position + 1
            case UInt8(ascii: "\\"): position += 2
            default: position += 1
            }
        }
        return text.endIndex
    }

    /// What a string with its quotation marks says; `nil` when it is no string, or has half of a surrogate pair.
    static func decoded(_ text: ArraySlice<UInt8>) -> ForeignText? {
        guard text.count >= 2, text.first == UInt8(ascii: "\""), end(in: text) == text.endIndex else { return nil }
        let inner = text.dropFirst().dropLast()
        guard inner.contains(UInt8(ascii: "\\")) else { return ForeignText(inner) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(inner.count)
        var position = inner.startIndex
        while position < inner.endIndex {
            guard inner[position] == UInt8(ascii: "\\") else {
                bytes.append(inner[position])
                position += 1
                continue
            }
            guard let scalar = escape(in: inner, &position), let encoded = UTF8.encode(scalar) else { return nil }
            bytes.append(contentsOf: encoded)
        }
        return ForeignText(bytes)
    }

    /// What an array of strings says; `nil` when it is none, or has anything else in it.
    static func decodedArray(_ text: ArraySlice<UInt8>) -> [ForeignText]? {
        guard text.count >= 2, text.first == UInt8(ascii: "["), text.last == UInt8(ascii: "]") else { return nil }
        var strings: [ForeignText] = []
        var rest = text.dropFirst().dropLast()
        while let byte = rest.first {
            switch byte {
            case UInt8(ascii: "\""):
                let end = end(in: rest)
                guard let string = decoded(rest[..<end]) else { return nil }
                strings.append(string)
                rest = rest[end...]
            // The text is well-formed: what stands between the strings says nothing.
            case 0x20, 0x09, 0x0D, UInt8(ascii: ","): rest = rest.dropFirst()
            default: return nil
            }
        }
        return strings
    }

    /// The character of an escape (RFC 8259, 7); moves behind it.
    private static func escape(in text: ArraySlice<UInt8>, _ position: inout Int) -> Unicode.Scalar? {
        guard position + 1 < text.endIndex else { return nil }
        let letter = text[position + 1]
        position += 2
        switch letter {
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            guard let unit = hexadecimal(in: text, &position) else { return nil }
            guard unit & 0xFC00 == 0xD800 else { return Unicode.Scalar(unit) }
            guard position + 1 < text.endIndex, text[position] == UInt8(ascii: "\\"),
                text[position + 1] == UInt8(ascii: "u")
            else { return nil }
            position += 2
            guard let low = hexadecimal(in: text, &position), low & 0xFC00 == 0xDC00 else { return nil }
            return Unicode.Scalar(0x10000 + (unit & 0x3FF) << 10 + low & 0x3FF)
        default: return Unicode.Scalar(letter)
        }
    }

    private static func hexadecimal(in text: ArraySlice<UInt8>, _ position: inout Int) -> UInt32? {
        guard position + 4 <= text.endIndex else { return nil }
        defer { position += 4 }
        return UInt32(String(decoding: text[position..<position + 4], as: UTF8.self), radix: 16)
    }
}
