/// Values as TOML writes them on one line.
enum TOMLText {
    /// A text in quotes; what would end the line or the text is escaped.
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

    /// An array on one line.
    static func array(_ texts: [String]) -> String { "[\(texts.joined(separator: ", "))]" }

    /// A duration as the shortest of the accepted forms that is exact.
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

    /// A number of bytes with the largest unit that is exact.
    static func size(_ bytes: Int) -> String {
        let text = unquotedSize(bytes)
        return text.utf8.last.map { $0 >= UInt8(ascii: "A") } == true ? quoted(text) : text
    }

    /// A number of bytes as messages show it.
    static func unquotedSize(_ bytes: Int) -> String {
        for (unit, shift) in [("G", 30), ("M", 20), ("K", 10)] where bytes > 0 && bytes % (1 << shift) == 0 {
            return "\(bytes >> shift)\(unit)"
        }
        return "\(bytes)"
    }
}
