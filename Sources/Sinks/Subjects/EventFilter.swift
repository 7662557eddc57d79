internal import AgentEvents

/// The types of event that a sink ships: names or patterns such as `path.*`, with or without the prefix `reachagent.`.
public struct EventFilter: Sendable, Hashable {
    private let names: Set<String>
    private let prefixes: [String]

    /// A filter; without patterns all types pass.
    public init(_ patterns: [String]) {
        let short = patterns.map(EventType.shortName(of:))
        names = Set(short.filter { $0.last != "*" })
        prefixes = short.filter { $0.last == "*" }.map { String($0.dropLast()) }
    }

    /// Returns true when events of a type are shipped.
    public func passes(_ type: String) -> Bool {
        guard !names.isEmpty || !prefixes.isEmpty else { return true }
        let name = EventType.shortName(of: type)
        return names.contains(name) || prefixes.contains { name.utf8.starts(with: $0.utf8) }
    }
}
