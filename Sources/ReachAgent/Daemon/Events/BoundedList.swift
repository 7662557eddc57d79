internal import AgentEvents
internal import Reachability

/// The beginning of a list, as far as readers accept a line with it.
struct BoundedList<Element: Encodable> {
    /// The elements that have room.
    let elements: [Element]
    /// The number of the others; `nil` where there are none.
    let omitted: Int?

    /// - Parameters:
    ///   - all: The elements, the most important ones first.
    ///   - most: The most elements.
    ///   - bytes: The most bytes that they have together: by default half of the longest line.
    init(_ all: [Element], most: Int = .max, bytes: Int = ScannedLine.maximumBytes / 2) {
        var room = bytes
        let fitting = all.prefix(most).prefix { element in
            guard room > 0 else { return false }
            room -= (try? EventEncoder.encode(element).count) ?? 0
            return true
        }
        elements = Array(fitting)
        omitted = fitting.count < all.count ? all.count - fitting.count : nil
    }
}

extension [ProbeRecord] {
    /// Those that are not up, then the others.
    var troubledFirst: [ProbeRecord] {
        filter { $0.standing.verdict != .up } + filter { $0.standing.verdict == .up }
    }
}

extension [AgentStatus.HookStatus] {
    /// Those that somebody should look after, those that have failed, then the others.
    var troubledFirst: [AgentStatus.HookStatus] {
        filter(\.isTroubled) + filter { !$0.isTroubled && ($0.failures ?? 0) > 0 }
            + filter { !$0.isTroubled && ($0.failures ?? 0) == 0 }
    }
}
