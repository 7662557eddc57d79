/// The template of a webhook's body, with placeholders for facts about the event.
///
/// `${REACH_TO_VIA}` is replaced by the value of that variable of ``HookEnvironment``, escaped for a JSON string (RFC
/// 8259, section 7); `$$` is a dollar sign.
public struct WebhookBody: Sendable, Hashable {
    /// The reason a string is not a valid template.
    public enum Mistake: Error, Sendable, Hashable, CustomStringConvertible {
        /// A placeholder is not closed, or names an unknown variable.
        case unknownVariable(String)
        /// A dollar sign is followed by something other than `{` or `$`.
        case strayDollar

        /// A short description of the error.
        public var description: String {
            switch self {
            case .unknownVariable(let name): "there is no variable '\(name)'"
            case .strayDollar: "a lone '$': write $$ for a dollar sign"
            }
        }
    }

    /// A piece of the body.
    private enum Piece: Sendable, Hashable {
        case text([UInt8])
        case variable(String)
    }

    private static let variables = Set(HookEnvironment.variables.map(\.name))

    /// The source of the template.
    public let text: String
    private let pieces: [Piece]

    /// Parses a template.
    public init(parsing text: String) throws(Mistake) {
        self.text = text
        var pieces: [Piece] = []
        var rest = Array(text.utf8)[...]
        while let dollar = rest.firstIndex(of: UInt8(ascii: "$")) {
            var literal = Array(rest[..<dollar])
            rest = rest[dollar...].dropFirst()
            switch rest.popFirst() {
            case UInt8(ascii: "$"):
                literal.append(UInt8(ascii: "$"))
                pieces.append(.text(literal))
            case UInt8(ascii: "{"):
                pieces.append(.text(literal))
                pieces.append(.variable(try Self.takeName(from: &rest)))
            default: throw .strayDollar
            }
        }
        pieces.append(.text(Array(rest)))
        self.pieces = pieces
    }

    /// Returns the body with the values inserted; a variable without a value is empty.
    ///
    /// The template contains the quotes: the values are escaped for the inside of a JSON string.
    package func bytes(_ variables: [String: String]) -> [UInt8] {
        var bytes: [UInt8] = []
        for piece in pieces {
            switch piece {
            case .text(let text): bytes += text
            case .variable(let name): Self.append(variables[name] ?? "", to: &bytes)
            }
        }
        return bytes
    }

    private static func takeName(from rest: inout ArraySlice<UInt8>) throws(Mistake) -> String {
        // Longer than any name; of an unclosed placeholder only this part is shown.
        let beginning = rest.prefix(64)
        let name = beginning.prefix { $0 != UInt8(ascii: "}") && $0 != UInt8(ascii: "\n") }
        let text = String(decoding: name, as: UTF8.self)
        rest = rest.dropFirst(name.count)
        guard rest.popFirst() == UInt8(ascii: "}"), variables.contains(text) else {
            throw .unknownVariable(text)
        }
        return text
    }

    private static func append(_ value: String, to bytes: inout [UInt8]) {
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case 0x08: bytes += "\\b".utf8
            case 0x09: bytes += "\\t".utf8
            case 0x0A: bytes += "\\n".utf8
            case 0x0C: bytes += "\\f".utf8
            case 0x0D: bytes += "\\r".utf8
            case ..<0x20: bytes += ((byte < 0x10 ? "\\u000" : "\\u00") + String(byte, radix: 16)).utf8
            default: bytes.append(byte)
            }
        }
    }
}
