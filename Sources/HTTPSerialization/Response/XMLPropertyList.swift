internal import ForeignText
internal import FoundationEssentials

/// Builds a property list from the events of an XML document.
///
/// Foundation's own parser is not used: it recurses into nested arrays without a limit, until the stack overflows.
final class XMLPropertyList: XMLEvents {
    /// An open array or dictionary: the start of its values and keys on the stacks.
    private struct Frame {
        let isDictionary: Bool
        let firstValue: Int
        let firstKey: Int
    }

    /// The elements of property lists.
    private enum Element: String, CaseIterable {
        case array, dict, string, integer, real, date, data, key
        case yes = "true"
        case no = "false"

        init?(_ name: UnsafeBufferPointer<UInt8>) {
            guard let element = Self.allCases.first(where: { name.elementsEqual($0.rawValue.utf8) }) else { return nil }
            self = element
        }
    }

    /// The maximum size of a number or a date, in bytes.
    private static let maximumScalar = 128

    private var frames: [Frame] = []
    private var values: [PropertyListValue] = []
    private var keys: [ForeignText] = []
    private var isInsidePlist = false
    private var openScalar: Element?
    private var scalarText: [UInt8] = []
    private var strayText = false
    private var root: PropertyListValue?
    private let budget: WorkBudget?

    private init(_ budget: WorkBudget?) { self.budget = budget }

    /// Parses a property list; text other than whitespace outside of values is rejected.
    static func parse(_ bytes: [UInt8], budget: WorkBudget? = nil) throws(XMLError) -> PropertyListValue {
        let list = XMLPropertyList(budget)
        try XMLReader.read(bytes, events: list, budget: budget)
        guard let root = list.root, !list.strayText else {
            throw XMLError(list.root == nil ? "the property list holds no value" : "text between the values")
        }
        return root
    }

    func begin(_ name: UnsafeBufferPointer<UInt8>) throws(XMLError) {
        guard isInsidePlist else {
            guard name.elementsEqual("plist".utf8) else {
                throw XMLError("the root element is \(Snippet.quoted(name)), not 'plist'")
            }
            isInsidePlist = true
            return
        }
        if let openScalar { throw XMLError("an element inside '\(openScalar.rawValue)'") }
        guard root == nil else { throw XMLError("more than one value at the top") }
        guard let element = Element(name) else {
            throw XMLError("\(Snippet.quoted(name)) is not an element of a property list")
        }
        if element != .key, let budget, !budget.allowsValue() { throw XMLError("the budget of the check ends") }
        switch element {
        case .array, .dict:
            try checkPlaceOfValue()
            frames.append(Frame(isDictionary: element == .dict, firstValue: values.count, firstKey: keys.count))
        default:
            openScalar = element
            scalarText = []
        }
    }

    func text(_ bytes: UnsafeBufferPointer<UInt8>) {
        if openScalar != nil {
            scalarText.append(contentsOf: bytes)
        } else if bytes.contains(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) {
            strayText = true
        }
    }

    func end() throws(XMLError) {
        if let scalar = openScalar {
            openScalar = nil
            guard scalar != .key else {
                try take(key: ForeignText(scalarText))
                return
            }
            try add(try value(of: scalar))
            return
        }
        // The stack of frames is empty at the end of 'plist' itself.
        guard let frame = frames.popLast() else { return }
        let value = try container(of: frame)
        values.removeSubrange(frame.firstValue...)
        keys.removeSubrange(frame.firstKey...)
        try add(value)
    }

    /// Builds a value from the contents of a frame; a separate function, so that nothing shares the stacks when they
    /// shrink.
    private func container(of frame: Frame) throws(XMLError) -> PropertyListValue {
        let elements = values[frame.firstValue...]
        guard frame.isDictionary else { return .array(Array(elements)) }
        guard keys.count - frame.firstKey == elements.count else { throw XMLError("a key without a value") }
        var members: [PropertyListKey: PropertyListValue] = [:]
        for (key, element) in zip(keys[frame.firstKey...], elements) { members[PropertyListKey(key)] = element }
        return .dictionary(members)
    }

    private func take(key: ForeignText) throws(XMLError) {
        guard let frame = frames.last, frame.isDictionary,
            keys.count - frame.firstKey == values.count - frame.firstValue
        else { throw XMLError("a key where a value was due") }
        keys.append(key)
    }

    private func checkPlaceOfValue() throws(XMLError) {
        guard let frame = frames.last, frame.isDictionary else { return }
        guard keys.count - frame.firstKey == values.count - frame.firstValue + 1 else {
            throw XMLError("a value without a key")
        }
    }

    private func add(_ value: PropertyListValue) throws(XMLError) {
        try checkPlaceOfValue()
        if frames.isEmpty { root = value } else { values.append(value) }
    }

    private func value(of element: Element) throws(XMLError) -> PropertyListValue {
        switch element {
        case .yes: return .bool(true)
        case .no: return .bool(false)
        case .string: return .string(ForeignText(scalarText))
        case .data: if let data = Self.data(scalarText) { return .data(data) }
        default: if let value = Self.number(scalarText, element) { return value }
        }
        throw XMLError("\(Snippet.quoted(scalarText)) is not of the kind '\(element.rawValue)'")
    }

    /// Parses an integer, a real or a date, which must be short ASCII: comparing other text is not linear in its
    /// length.
    private static func number(_ bytes: [UInt8], _ element: Element) -> PropertyListValue? {
        guard bytes.count <= maximumScalar, bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        return switch element {
        case .integer: integer(text)
        case .real: Double(text).map { .real($0) }
        case .date: date(text).map { .date($0) }
        default: nil
        }
    }

    private static func integer(_ text: String) -> PropertyListValue? {
        let isNegative = text.hasPrefix("-")
        let digits = text.hasPrefix("-") || text.hasPrefix("+") ? text.dropFirst() : text[...]
        let isHexadecimal = digits.hasPrefix("0x") || digits.hasPrefix("0X")
        let number = (isNegative ? "-" : "") + (isHexadecimal ? digits.dropFirst(2) : digits)
        if let value = Int64(number, radix: isHexadecimal ? 16 : 10) { return .integer(value) }
        return UInt64(number, radix: isHexadecimal ? 16 : 10).map { .unsigned($0) }
    }

    /// Parses `2026-11-21T08:30:00Z`, the only date format of property lists.
    private static func date(_ text: String) -> Date? {
        let shape = text.utf8.map { (0x30...0x39).contains($0) ? UInt8(ascii: "0") : $0 }
        guard shape == Array("0000-00-00T00:00:00Z".utf8) else { return nil }
        return try? Date(text, strategy: .iso8601)
    }

    private static func data(_ text: [UInt8]) -> [UInt8]? {
        let characters = text.filter { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        return Data(base64Encoded: Data(characters)).map { [UInt8]($0) }
    }
}
