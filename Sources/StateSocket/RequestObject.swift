internal import EventEnvelope
internal import ForeignText

/// One JSON object of a request: where its members stand.
///
/// A client chooses the names, so they are compared and hashed as bytes: the cost is linear in the line's length.
/// The syntax is checked by the same scanner as the journal's lines; what is found here is only where things stand.
struct RequestObject {
    /// Why a text is no such object.
    enum Flaw: Error, Hashable {
        /// It is no JSON object (RFC 8259), is nested too deeply, or is not UTF-8.
        case syntax
        /// A member is given twice; `path` names the members around it and itself.
        case duplicate(path: [ForeignText])
    }

    private let bytes: [UInt8]
    /// The members in their order.
    private(set) var members: [(name: ForeignText, value: Range<Int>)] = []

    /// Reads an object from a line.
    init(_ bytes: [UInt8]) throws(Flaw) {
        self.bytes = bytes
        guard JSONText.isObject(bytes.span) else { throw .syntax }
        try findMembers()
    }

    /// The text of a member's value; `nil` when there is no such member.
    func text(of name: ForeignText) -> ArraySlice<UInt8>? {
        members.first { $0.name == name }.map { bytes[$0.value] }
    }

    /// The name of the first member that has none of these.
    func firstName(besides known: [ForeignText]) -> ForeignText? {
        members.first { !known.contains($0.name) }?.name
    }

    /// One pass over text that is known to be well-formed.
    private mutating func findMembers() throws(Flaw) {
        // The names of the objects that are open; nothing for arrays.
        var open: [Set<ForeignText>?] = []
        var names: [ForeignText] = []
        var position = 0
        var expectsName = false
        var start = 0
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "{"):
                open.append([])
                names.append("")
                expectsName = true
            case UInt8(ascii: "["):
                open.append(Optional<Set<ForeignText>>.none)
                names.append("")
                expectsName = false
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if open.count == 1, let name = names.last, start > 0 { addMember(name, start..<position) }
                _ = open.popLast()
                _ = names.popLast()
                expectsName = false
            case UInt8(ascii: ","):
                if open.count == 1, let name = names.last { addMember(name, start..<position) }
                expectsName = (open.last ?? nil) != nil
            case UInt8(ascii: ":"):
                if open.count == 1 { start = position + 1 }
            case UInt8(ascii: "\""):
                let end = JSONString.end(in: bytes[position...])
                if expectsName, !open.isEmpty {
                    guard let name = JSONString.decoded(bytes[position..<end]) else { throw .syntax }
                    names[names.count - 1] = name
                    guard open[open.count - 1]?.insert(name).inserted ?? false else {
                        throw .duplicate(path: names.filter { !$0.bytes.isEmpty })
                    }
                    expectsName = false
                }
                position = end - 1
            default: break
            }
            position += 1
        }
    }

    private mutating func addMember(_ name: ForeignText, _ range: Range<Int>) {
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
        let text = bytes[range].drop(while: isSpace)
        guard let last = text.lastIndex(where: { !isSpace($0) }) else { return }
        members.append((name, text.startIndex..<last + 1))
    }
}

// MARK: - Values

extension RequestObject {
    /// A member that must be a string.
    func string(_ name: ForeignText) -> Value<ForeignText> { value(name) { JSONString.decoded($0) } }

    /// A member that must be `true` or `false`.
    func boolean(_ name: ForeignText) -> Value<Bool> {
        value(name) { text in
            if text.elementsEqual("true".utf8) { return true }
            return text.elementsEqual("false".utf8) ? false : nil
        }
    }

    /// A member that must be a whole number of 64 bits without a sign.
    func number(_ name: ForeignText) -> Value<UInt64> {
        value(name) { text in
            guard text.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }) else { return nil }
            return UInt64(String(decoding: text, as: UTF8.self))
        }
    }

    /// A member that must be an array of strings.
    func strings(_ name: ForeignText) -> Value<[ForeignText]> { value(name) { JSONString.decodedArray($0) } }

    /// A member that must be an object; its text.
    func object(_ name: ForeignText) -> Value<[UInt8]> {
        value(name) { $0.first == UInt8(ascii: "{") ? Array($0) : nil }
    }

    /// What a member is.
    enum Value<Content> {
        case missing
        case wrongType
        case value(Content)
    }

    private func value<Content>(_ name: ForeignText, _ read: (ArraySlice<UInt8>) -> Content?) -> Value<Content> {
        guard let text = text(of: name) else { return .missing }
        return read(text).map { .value($0) } ?? .wrongType
    }
}
