internal import ArgumentParser
internal import EventEnvelope

/// Which events are asked for, by type and subject.
struct EventFilter: Sendable, Hashable {
    /// Whole types, with the prefix.
    private var types: Set<[UInt8]> = []
    /// What the types of a family begin with.
    private var families: [[UInt8]] = []
    private var subject: [UInt8]?
    private let passesEveryType: Bool

    /// A filter; without types every type passes, and without a subject every subject.
    ///
    /// - Parameter types: As ``checked(type:)`` gave them.
    init(types: [String], subject: String?) {
        passesEveryType = types.isEmpty
        for type in types {
            if type.hasSuffix("*") {
                families.append(Array(type.utf8.dropLast()))
            } else {
                self.types.insert(Array(type.utf8))
            }
        }
        self.subject = subject.map { Array($0.utf8) }
    }

    /// Whether an event passes, by its type and subject as they stand in its line.
    func passes(type: ArraySlice<UInt8>, subject: ArraySlice<UInt8>) -> Bool {
        if let wanted = self.subject, !subject.elementsEqual(wanted) { return false }
        if passesEveryType || types.contains(Array(type)) { return true }
        return families.contains { type.starts(with: $0) }
    }

    /// Reads an argument: a type with or without the prefix, or a family such as `path.*`; gives it with the prefix.
    static func checked(type text: String) throws -> String {
        let name = EventType.shortName(of: text)
        let stem = name.hasSuffix(".*") ? String(name.dropLast(2)) : name == "*" ? "all" : name
        let isPlain = stem.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        guard isPlain, (1...128).contains(stem.utf8.count) else {
            throw ValidationError(
                "'\(text)' is no type of event; accepted are forms like reachability.changed and 'path.*'"
            )
        }
        return EventType.prefix + name
    }
}
