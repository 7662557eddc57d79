/// The presence of the subjects of a kind, and the order in which the absent ones have gone.
///
/// The order is that of the events: the clock may have been set between them.
struct Presence<Key: Hashable & Sendable>: Sendable {
    private var entries: [Key: (position: Int, isPresent: Bool)] = [:]
    private var last = 0

    /// Notes whether a subject is present.
    mutating func note(_ key: Key, isPresent: Bool) {
        if !isPresent, entries[key]?.isPresent == false { return }
        last += 1
        entries[key] = (last, isPresent)
    }

    /// Makes all subjects absent, until the events of the next run have them again.
    mutating func endRun() {
        let present = entries.filter(\.value.isPresent).sorted { $0.value.position < $1.value.position }
        for (key, _) in present { note(key, isPresent: false) }
    }

    /// Removes the subject that has been absent for the longest time; `nil` if all are present.
    mutating func removeLongestAbsent() -> Key? {
        let absent = entries.filter { !$0.value.isPresent }
        guard let key = absent.min(by: { $0.value.position < $1.value.position })?.key else { return nil }
        entries[key] = nil
        return key
    }
}
