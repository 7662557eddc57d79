internal import EventEnvelope
internal import ForeignText

/// Which events a subscriber wants.
struct EventFilter: Sendable, Hashable {
    /// One wanted type, or all types with a beginning.
    private struct TypePattern: Sendable, Hashable {
        var text: [UInt8]
        var isPrefix: Bool

        func matches(_ type: some Collection<UInt8>) -> Bool {
            isPrefix ? type.starts(with: text) : type.elementsEqual(text)
        }
    }

    /// The types as they were asked for; `nil` when all are wanted.
    let types: [ForeignText]?
    /// The subjects; `nil` when all are wanted.
    let subjects: [ForeignText]?
    private let patterns: [TypePattern]
    private let subjectTexts: Set<[UInt8]>
    private let subjectSet: Set<ForeignText>

    /// A filter for types, with or without the common prefix and with a `*` at the end, and subjects.
    init(types: [ForeignText]? = nil, subjects: [ForeignText]? = nil) {
        self.types = types
        self.subjects = subjects
        patterns = (types ?? []).map { type in
            let isPrefix = type.bytes.last == UInt8(ascii: "*")
            let name = isPrefix ? type.bytes.dropLast() : type.bytes[...]
            let prefix = name.starts(with: EventType.prefix.utf8) ? [] : Array(EventType.prefix.utf8)
            return TypePattern(text: prefix + name, isPrefix: isPrefix)
        }
        subjectSet = Set(subjects ?? [])
        // As it stands in a line: between the quotation marks, with the writer's escapes.
        subjectTexts = Set(
            (subjects ?? []).map { subject in
                var json = JSONWriter()
                json.string(String(decoding: subject.bytes, as: UTF8.self))
                return Array(json.bytes.dropFirst().dropLast())
            }
        )
    }

    /// Whether every event passes.
    var passesEverything: Bool { types == nil && subjects == nil }

    /// Whether a type passes.
    func passes(type: some Collection<UInt8>) -> Bool {
        types == nil || patterns.contains { $0.matches(type) }
    }

    /// Whether a type is asked for by its name, or by a beginning that says more than what all types begin with.
    func asks(for type: some Collection<UInt8>) -> Bool {
        patterns.contains { $0.text.count > EventType.prefix.utf8.count && $0.matches(type) }
    }

    /// Whether a subject passes.
    func passes(subject: String) -> Bool { subjects == nil || subjectSet.contains(ForeignText(subject)) }

    /// Whether a subject passes that is written as in a line of the journal.
    func passes(subjectText: ArraySlice<UInt8>) -> Bool { subjects == nil || subjectTexts.contains(Array(subjectText)) }
}
