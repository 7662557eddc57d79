/// What stands around a reply's parameters.
///
/// Only the outermost level is looked at, in one pass and without recursion; what the parameters are is for those to
/// check who read them.
struct ReplyFrame {
    /// Where the text of `parameters` stands; `nil` when there are none.
    private(set) var parameters: Range<Int>?
    /// Where the text of `error` stands, without the quotation marks; `nil` when it is no error.
    private(set) var error: Range<Int>?

    private struct Cursor {
        let bytes: ArraySlice<UInt8>
        var position: Int

        var byte: UInt8? { position < bytes.endIndex ? bytes[position] : nil }

        mutating func skipSpace() {
            while let byte, byte == 0x20 || byte == 0x09 || byte == 0x0D { position += 1 }
        }

        mutating func take(_ wanted: UInt8) -> Bool {
            skipSpace()
            guard byte == wanted else { return false }
            position += 1
            return true
        }

        /// Skips a string; gives where its text stands.
        mutating func string() -> Range<Int>? {
            guard take(UInt8(ascii: "\"")) else { return nil }
            let start = position
            while let byte {
                position += 1
                if byte == UInt8(ascii: "\"") { return start..<position - 1 }
                if byte == UInt8(ascii: "\\") { position += 1 }
            }
            return nil
        }

        /// Skips a value; gives where it stands.
        mutating func value() -> Range<Int>? {
            skipSpace()
            let start = position
            var depth = 0
            while let byte {
                switch byte {
                case UInt8(ascii: "\""): guard string() != nil else { return nil }
                case UInt8(ascii: "{"), UInt8(ascii: "["):
                    depth += 1
                    position += 1
                case UInt8(ascii: "}"), UInt8(ascii: "]"):
                    guard depth > 0 else { return nil }
                    depth -= 1
                    position += 1
                default: position += 1
                }
                if depth == 0, isAtEndOfValue { break }
            }
            return depth == 0 && position > start ? start..<position : nil
        }

        private var isAtEndOfValue: Bool {
            guard let byte else { return true }
            return byte == UInt8(ascii: ",") || byte == UInt8(ascii: "}") || byte <= 0x20
        }
    }

    /// Looks at a reply; `nil` when it is no object.
    init?(_ line: ArraySlice<UInt8>) {
        var cursor = Cursor(bytes: line, position: line.startIndex)
        guard cursor.take(UInt8(ascii: "{")) else { return nil }
        if !cursor.take(UInt8(ascii: "}")) {
            repeat {
                guard let name = cursor.string(), cursor.take(UInt8(ascii: ":")), let value = cursor.value() else {
                    return nil
                }
                switch String(decoding: line[name], as: UTF8.self) {
                case "parameters": parameters = value
                case "error":
                    guard value.count >= 2, line[value.lowerBound] == UInt8(ascii: "\"") else { return nil }
                    error = value.lowerBound + 1..<value.upperBound - 1
                default: break
                }
            } while cursor.take(UInt8(ascii: ","))
            guard cursor.take(UInt8(ascii: "}")) else { return nil }
        }
        cursor.skipSpace()
        guard cursor.byte == nil else { return nil }
    }
}
