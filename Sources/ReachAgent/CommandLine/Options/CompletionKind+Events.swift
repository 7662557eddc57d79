internal import AgentEvents
internal import ArgumentParser

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
