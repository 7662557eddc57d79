/// The textual form of values in TOML, on one line.
enum TOMLText {
    /// Returns a string in quotes; characters that would end the line or the string are escaped.
    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            case "\r": result += "\\r"
            case _
            where scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
                || scalar.properties.generalCategory == .format:
                let digits = String(scalar.value, radix: 16, uppercase: true)
                result += "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    /// Returns an array on one line.
    static func array(_ texts: [String]) -> String { "[\(texts.joined(separator: ", "))]" }

    /// Returns a duration in the shortest accepted form that is exact.
    static func duration(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        if seconds == 0, attoseconds == 0 { return "0" }
        guard attoseconds == 0 else {
            let milliseconds = Double(seconds) * 1000 + Double(attoseconds) / 1e15
            return milliseconds == milliseconds.rounded() ? "\(Int(milliseconds))ms" : "\(milliseconds)ms"
        }
        for (unit, length) in [("d", Int64(86_400)), ("h", 3600), ("m", 60)]
        where seconds % length == 0 && seconds >= 2 * length {
            return "\(seconds / length)\(unit)"
        }
        return "\(seconds)s"
    }

    /// Returns a number of bytes with the largest unit that is exact.
    static func size(_ bytes: Int) -> String {
        let text = unquotedSize(bytes)
        return text.utf8.last.map { $0 >= UInt8(ascii: "A") } == true ? quoted(text) : text
    }

    /// Returns a number of bytes for messages.
    static func unquotedSize(_ bytes: Int) -> String { size(bytes, inUnitOf: bytes) }

    /// Returns a number of bytes for messages in the largest unit that is exact for another number; rounded up to a
    /// tenth of it.
    static func size(_ bytes: Int, inUnitOf other: Int) -> String {
        for (unit, shift) in [("G", 30), ("M", 20), ("K", 10)] where other > 0 && other % (1 << shift) == 0 {
            let size = 1 << shift
            let (whole, rest) = bytes.quotientAndRemainder(dividingBy: size)
            let tenths = whole * 10 + (rest * 10 + size - 1) / size
            return "\(tenths / 10)" + (tenths % 10 == 0 ? "" : ".\(tenths % 10)") + unit
        }
        return "\(bytes)"
    }
}
