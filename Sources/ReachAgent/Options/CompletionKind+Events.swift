internal import ArgumentParser
internal import EventEnvelope

extension CompletionKind {
    /// The types of event that are numbered, without their prefix, and the families that they belong to.
    static var eventTypes: CompletionKind { eventTypes(besides: []) }

    /// The same with types that are not numbered.
    static func eventTypes(besides others: [EventType]) -> CompletionKind {
        let types = EventType.allCases.filter { $0.isNumbered || others.contains($0) }.map(\.shortName)
        let families = Set(types.compactMap { $0.split(separator: ".").first.map { "\($0).*" } }).sorted()
        return .list(types + families)
    }
}
