extension EventType {
    /// The types that a pattern names: one by its name, or all that begin with what stands before a `*` at the end.
    ///
    /// - Parameter pattern: With or without ``prefix``: `path.changed`, `probe.*`, `*`.
    package static func matching(_ pattern: String) -> [EventType] {
        let name = shortName(of: pattern)
        guard name.last == "*" else { return allCases.filter { $0.shortName == name } }
        return allCases.filter { $0.shortName.hasPrefix(name.dropLast()) }
    }
}
