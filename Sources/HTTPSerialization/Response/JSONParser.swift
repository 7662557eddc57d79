package import ForeignText

/// Parses JSON (RFC 8259) from untrusted bytes.
///
/// Foundation's decoders are not used because they recurse, lose digits, and accept UTF-16. This parser keeps its own
/// stack, so that nesting costs only heap memory, and reads every byte once. The text must be UTF-8; a leading byte
/// order mark is skipped. Any value may be at the top level. Of members with equal names the last one counts, as in
/// most software that will read the same body.
package struct JSONParser {
    /// The default maximum nesting depth of arrays and objects.
    package static let defaultMaximumDepth = 128

    /// An open array or object: the start of its values and names on the stacks.
    private struct Frame {
        let isObject: Bool
        let firstValue: Int
        let firstKey: Int
    }

    private enum Expectation {
        case value, valueOrEnd, keyOrEnd, separator
    }

    var cursor: JSONCursor
    private let maximumDepth: Int
    private let removesNulls: Bool
    private let budget: WorkBudget?
    private let countsValues: Bool
    private var frames: [Frame] = []
    private var values: [JSONValue] = []
    private var keys: [ForeignText] = []
    private var expectation = Expectation.value

    private init(_ bytes: [UInt8], maximumDepth: Int, removesNulls: Bool, budget: WorkBudget?, countsValues: Bool) {
        cursor = JSONCursor(bytes: bytes, budget: budget)
        self.maximumDepth = maximumDepth
        self.removesNulls = removesNulls
        self.budget = budget
        self.countsValues = countsValues
    }

    /// Parses one JSON text.
    ///
    /// - Parameters:
    ///   - removesNulls: `true` to leave out null members and elements; null at the top level stays.
    ///   - budget: Charged a step for each byte; nil for a text from the operator.
    ///   - countsValues: `false` for a text whose values were already charged to the budget.
    /// - Throws: ``JSONError`` with the place of the first invalid byte, or of the end of the budget.
    package static func parse(
        _ bytes: [UInt8],
        maximumDepth: Int = defaultMaximumDepth,
        removesNulls: Bool = false,
        budget: WorkBudget? = nil,
        countsValues: Bool = true
    ) throws(JSONError) -> JSONValue {
        var parser = JSONParser(
            bytes,
            maximumDepth: maximumDepth,
            removesNulls: removesNulls,
            budget: budget,
            countsValues: countsValues
        )
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { parser.cursor.offset = 3 }
        return try parser.parseText()
    }

    private mutating func parseText() throws(JSONError) -> JSONValue {
        while true {
            let start = cursor.offset
            cursor.skipSpace()
            let value = try step()
            if let budget, !budget.allows(cursor.offset - start) {
                throw JSONError("the budget of the check ends", at: cursor.offset)
            }
            guard let value else { continue }
            cursor.skipSpace()
            guard cursor.isAtEnd else { throw JSONError("\(cursor.here) after the value", at: cursor.offset) }
            return value
        }
    }

    /// Parses the next token; returns the value once the text is complete.
    private mutating func step() throws(JSONError) -> JSONValue? {
        switch expectation {
        case .separator: return try readSeparator()
        case .keyOrEnd:
            if cursor.skip(UInt8(ascii: "}")) { return endContainer() }
            try readKey()
            return nil
        case .valueOrEnd:
            if cursor.skip(UInt8(ascii: "]")) { return endContainer() }
            return try readValue()
        case .value: return try readValue()
        }
    }

    private mutating func readValue() throws(JSONError) -> JSONValue? {
        guard let byte = cursor.current else { throw JSONError("the end where a value was due", at: cursor.offset) }
        if countsValues, let budget, !budget.allowsValue() {
            throw JSONError("the budget of the check ends", at: cursor.offset)
        }
        switch byte {
        case UInt8(ascii: "["):
            try begin(isObject: false)
            expectation = .valueOrEnd
            return nil
        case UInt8(ascii: "{"):
            try begin(isObject: true)
            expectation = .keyOrEnd
            return nil
        case UInt8(ascii: "\""): return add(.string(try cursor.readString()))
        case UInt8(ascii: "t"): return add(try cursor.readWord("true", as: .bool(true)))
        case UInt8(ascii: "f"): return add(try cursor.readWord("false", as: .bool(false)))
        case UInt8(ascii: "n"): return add(try cursor.readWord("null", as: .null))
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return add(.number(try cursor.readNumber()))
        default: throw JSONError("\(cursor.here) where a value was due", at: cursor.offset)
        }
    }

    private mutating func begin(isObject: Bool) throws(JSONError) {
        guard frames.count < maximumDepth else {
            throw JSONError("nested more than \(maximumDepth) deep", at: cursor.offset)
        }
        frames.append(Frame(isObject: isObject, firstValue: values.count, firstKey: keys.count))
        cursor.offset += 1
    }

    private mutating func endContainer() -> JSONValue? {
        guard let frame = frames.popLast() else { return nil }
        let value = container(of: frame)
        values.removeSubrange(frame.firstValue...)
        keys.removeSubrange(frame.firstKey...)
        return add(value)
    }

    /// Builds a value from the contents of a frame; a separate function, so that nothing shares the stacks when they
    /// shrink.
    private func container(of frame: Frame) -> JSONValue {
        let elements = values[frame.firstValue...]
        guard frame.isObject else {
            return .array(removesNulls ? elements.filter { $0 != .null } : Array(elements))
        }
        var members: [ForeignText: JSONValue] = [:]
        for (key, element) in zip(keys[frame.firstKey...], elements) { members[key] = element }
        return .object(removesNulls ? members.filter { $0.value != .null } : members)
    }

    private mutating func readSeparator() throws(JSONError) -> JSONValue? {
        let isObject = frames.last?.isObject ?? false
        if cursor.skip(UInt8(ascii: ",")) {
            cursor.skipSpace()
            if isObject { try readKey() }
            expectation = .value
            return nil
        }
        let end = UInt8(ascii: isObject ? "}" : "]")
        if cursor.skip(end) { return endContainer() }
        throw JSONError("\(cursor.here) where ',' or '\(Unicode.Scalar(end))' was due", at: cursor.offset)
    }

    private mutating func readKey() throws(JSONError) {
        guard cursor.current == UInt8(ascii: "\"") else {
            throw JSONError("\(cursor.here) where a member's name was due", at: cursor.offset)
        }
        keys.append(try cursor.readString())
        cursor.skipSpace()
        guard cursor.skip(UInt8(ascii: ":")) else {
            throw JSONError("\(cursor.here) where ':' was due", at: cursor.offset)
        }
        expectation = .value
    }

    /// Adds a complete value; returns it when it is the whole text.
    private mutating func add(_ value: JSONValue) -> JSONValue? {
        expectation = .separator
        if frames.isEmpty { return value }
        values.append(value)
        return nil
    }
}
