internal import EventEnvelope

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
    let types: [String]?
    /// The subjects; `nil` when all are wanted.
    let subjects: [String]?
    private let patterns: [TypePattern]
    private let subjectTexts: Set<[UInt8]>
    private let subjectSet: Set<String>

    /// A filter for types, with or without the common prefix and with a `*` at the end, and subjects.
    init(types: [String]? = nil, subjects: [String]? = nil) {
        self.types = types
        self.subjects = subjects
        patterns = (types ?? []).map { type in
            let isPrefix = type.hasSuffix("*")
            let name = isPrefix ? String(type.dropLast()) : type
            let full = name.hasPrefix(EventType.prefix) ? name : EventType.prefix + name
            return TypePattern(text: Array(full.utf8), isPrefix: isPrefix)
        }
        subjectSet = Set(subjects ?? [])
        // As it stands in a line: between the quotation marks, with the writer's escapes.
        subjectTexts = Set(
            (subjects ?? []).map { subject in
                var json = JSONWriter()
                json.string(subject)
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
    func passes(subject: String) -> Bool { subjects == nil || subjectSet.contains(subject) }

    /// Whether a subject passes that is written as in a line of the journal.
    func passes(subjectText: ArraySlice<UInt8>) -> Bool { subjects == nil || subjectTexts.contains(Array(subjectText)) }
}
