/// A well-formed JSON text (RFC 8259), parsed once.
///
/// Values are kept in the order of the text in one array, each with the index of the value after it: neither parsing
/// nor reading recurses, and both are linear. Strings stay bytes of the text until they are read.
package final class JSONDocument: Sendable {
    /// The kinds of a value.
    package enum Kind: UInt8, Sendable { case object, array, string, number, `true`, `false`, null }

    /// A value, or the name of a member, which precedes its value.
    struct Entry: Sendable {
        var kind: Kind
        /// The bytes of a number, or of a string between its quotation marks.
        var text: Range<Int>
        /// The index of the entry after this one and all its content.
        var next: Int
    }

    /// The maximum number of values and names in a line of the stream, which exceeds that of a status with ten thousand
    /// probes.
    package static let maximumValues = 1 << 20

    let bytes: [UInt8]
    let entries: [Entry]
    /// `true` if a string or a name has an escape.
    let hasEscapes: Bool

    /// Parses a text.
    ///
    /// - Parameters:
    ///   - bytes: One JSON value in UTF-8 on one line, whose length the caller has bounded.
    ///   - maximumValues: The maximum number of values and names in the text. Each takes 32 bytes once parsed, but a
    ///     hostile text, such as `1,1,…`, spends only two on it.
    /// - Returns: `nil` if it is not such a value, has more values, or is nested deeper than
    ///   ``ScannedLine/maximumDepth``.
    package init?(_ bytes: [UInt8], maximumValues: Int = JSONDocument.maximumValues) {
        let entries = bytes.withUnsafeBufferPointer { buffer in
            var scanner = JSONScanner(buffer)
            return scanner.scanEntries(atMost: maximumValues)
        }
        guard let entries else { return nil }
        self.bytes = bytes
        self.entries = entries
        hasEscapes = bytes.contains(UInt8(ascii: "\\"))
    }

    /// Returns the index of the first member's value with a name.
    ///
    /// Decoding requests each member of each object: bytes are compared, without slices of them.
    func value(of name: UnsafeBufferPointer<UInt8>, inObjectAt index: Int) -> Int? {
        bytes.withUnsafeBufferPointer { bytes in
            entries.withUnsafeBufferPointer { entries in
                var next = index + 1
                while next < entries[index].next {
                    if JSONScanner(bytes).matches(entries[next].text, name) { return next + 1 }
                    next = entries[next + 1].next
                }
                return nil
            }
        }
    }

    /// The outermost value.
    package var root: JSONNode { JSONNode(document: self, index: 0) }
}

extension JSONScanner {
    /// Returns all values of the text in order; `nil` if it is not a JSON value, or has more than the maximum.
    fileprivate mutating func scanEntries(atMost maximum: Int) -> [JSONDocument.Entry]? {
        var entries: [JSONDocument.Entry] = []
        // The open containers, as indices of their entries.
        var open: [Int] = []
        repeat {
            skipSpace()
            // Each iteration adds a value, and at most one name.
            guard position < bytes.count, entries.count < maximum else { return nil }
            let start = position
            switch bytes[position] {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                let isObject = bytes[position] == UInt8(ascii: "{")
                position += 1
                guard open.count < ScannedLine.maximumDepth else { return nil }
                open.append(entries.count)
                entries.append(.init(kind: isObject ? .object : .array, text: start..<start, next: 0))
                skipSpace()
                if position < bytes.count, bytes[position] == UInt8(ascii: isObject ? "}" : "]") { break }
                if isObject { guard scanMemberName(&entries) else { return nil } }
                continue
            case UInt8(ascii: "\""):
                guard let text = scanString() else { return nil }
                entries.append(.init(kind: .string, text: text, next: entries.count + 1))
            case UInt8(ascii: "t"):
                guard takeWord("true") else { return nil }
                entries.append(.init(kind: .true, text: start..<position, next: entries.count + 1))
            case UInt8(ascii: "f"):
                guard takeWord("false") else { return nil }
                entries.append(.init(kind: .false, text: start..<position, next: entries.count + 1))
            case UInt8(ascii: "n"):
                guard takeWord("null") else { return nil }
                entries.append(.init(kind: .null, text: start..<position, next: entries.count + 1))
            default:
                guard skipNumber() else { return nil }
                entries.append(.init(kind: .number, text: start..<position, next: entries.count + 1))
            }
            guard closeContainers(&open, &entries) else { return nil }
        } while !open.isEmpty
        skipSpace()
        return isAtEnd ? entries : nil
    }

    /// Reads what follows a value: the ends of containers, or a comma and, in an object, the next name.
    private mutating func closeContainers(_ open: inout [Int], _ entries: inout [JSONDocument.Entry]) -> Bool {
        while let container = open.last {
            let isObject = entries[container].kind == .object
            skipSpace()
            if take(UInt8(ascii: ",")) { return isObject ? scanMemberName(&entries) : true }
            guard take(UInt8(ascii: isObject ? "}" : "]")) else { return false }
            entries[container].next = entries.count
            open.removeLast()
        }
        return true
    }

    private mutating func scanMemberName(_ entries: inout [JSONDocument.Entry]) -> Bool {
        skipSpace()
        guard let name = scanString() else { return false }
        entries.append(.init(kind: .string, text: name, next: entries.count + 1))
        skipSpace()
        return take(UInt8(ascii: ":"))
    }
}
