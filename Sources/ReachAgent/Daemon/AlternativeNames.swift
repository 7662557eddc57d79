internal import NetlinkMonitor

/// The last known alternative names of each interface, also of one that is gone: a hook may name it so, and the event of
/// its removal has only its own name.
struct AlternativeNames: Sendable {
    /// The maximum number of removed interfaces with names.
    static let maximumRemoved = 256

    private var names: [String: [String]] = [:]

    /// The alternative names of the interface with an own name.
    subscript(name: String) -> [String] { names[name] ?? [] }

    /// Records the names in an update, and returns whether any of them have changed.
    mutating func note(_ update: NetworkUpdate) -> Bool {
        let old = names
        // Only the first update of a monitor has no changes.
        if update.changes.isEmpty {
            for link in update.snapshot.links { note(link) }
        } else {
            for index in Set(update.changes.compactMap(\.interfaceIndex)) {
                if let link = update.snapshot.links[index] { note(link) }
            }
        }
        guard names != old else { return false }
        if names.count > Self.maximumRemoved {
            let present = Set(update.snapshot.links.map(\.name))
            let removed = names.keys.filter { !present.contains($0) }
            for name in removed.prefix(max(0, removed.count - Self.maximumRemoved)) { names[name] = nil }
        }
        return true
    }

    private mutating func note(_ link: Link) {
        let known = link.alternativeNames
        guard self[link.name] != known else { return }
        names[link.name] = known.isEmpty ? nil : known
    }
}
