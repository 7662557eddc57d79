internal import AgentEvents
internal import ArgumentParser
internal import ForeignText

/// The wanted events, by type and subject.
struct EventFilter: Sendable, Hashable {
    /// The types that pass, with the prefix; `nil` for all.
    private var types: Set<[UInt8]>?
    private let hidden: [UInt8]?
    private let subject: [UInt8]?

    /// A filter; without types every type passes, and without a subject every subject.
    ///
    /// - Parameters:
    ///   - types: Types and families, each with or without the prefix.
    ///   - hidden: A type that never passes.
    init(types: [String], subject: String?, hiding hidden: EventType? = nil) {
        if !types.isEmpty { self.types = Set(types.flatMap(EventType.matching).map { Array($0.rawValue.utf8) }) }
        self.hidden = hidden.map { Array($0.rawValue.utf8) }
        self.subject = subject.map { Array($0.utf8) }
    }

    /// True when an event passes, by its type and subject as they stand in its line.
    func passes(type: ArraySlice<UInt8>, subject: ArraySlice<UInt8>) -> Bool {
        if let wanted = self.subject, !subject.elementsEqual(wanted) { return false }
        if let hidden, type.elementsEqual(hidden) { return false }
        return types?.contains(Array(type)) ?? true
    }

    /// True if the filter has a subject.
    var hasSubject: Bool { subject != nil }

    /// Parses an argument: a type of the journal, or a family such as `path.*`.
    static func journalType(argument text: String) throws -> String { try knownType(text, besides: []) }

    /// Parses an argument: a type that a subscriber can have, or a family.
    static func subscribedType(argument text: String) throws -> String {
        try knownType(text, besides: [.probeCompleted, .probeProgress])
    }

    /// A type or family without the prefix; an unknown one is rejected with the list of known ones.
    private static func knownType(_ text: String, besides others: [EventType]) throws -> String {
        let known = EventType.allCases.filter { $0.isNumbered || others.contains($0) }
        let name = EventType.shortName(of: text)
        guard EventType.matching(text).contains(where: known.contains) else {
            let names = known.map(\.shortName)
            let question = KeySuggestion.question(about: name, among: names)
            let list = "; event types are \(names.joined(separator: ", ")), and families such as 'path.*'"
            throw ValidationError(
                "expected an event type, got '\(ForeignText.shown(text, limit: 64))'"
                    + (question.isEmpty ? list : question)
            )
        }
        return name
    }
}

extension CompletionKind {
    /// The types of event that are numbered, without their prefix, and the families that they belong to.
    static var eventTypes: CompletionKind { eventTypes(besides: []) }

    /// The same with types that are not numbered.
    static func eventTypes(besides others: [EventType]) -> CompletionKind {
        let types = EventType.allCases.filter { $0.isNumbered || others.contains($0) }.map(\.shortName)
        // fish expands the words of a list, and drops a pattern that matches no file.
        let star = CompletionShell.requesting == .fish ? "\\*" : "*"
        let families = Set(types.compactMap { $0.split(separator: ".").first.map { "\($0).\(star)" } }).sorted()
        return .list(types + families)
    }
}
