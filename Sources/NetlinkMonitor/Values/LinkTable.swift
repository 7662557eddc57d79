/// The interfaces of a namespace, a sequence ordered by index.
///
/// Two tables in order are compared in one walk, without a search for each link: a machine with thousands of containers has
/// as many interfaces, and each edge of one of them is found by such a comparison.
public struct LinkTable: Sendable, Equatable, Sequence {
    /// All interfaces, ordered by index.
    public private(set) var values: [Link]

    /// Creates a table; of several links with one index the last one counts.
    public init(_ links: some Sequence<Link> = []) {
        values = []
        // The sort is stable, so that the last one of an index is the last one here, too.
        for link in links.sorted(by: { $0.index < $1.index }) {
            if values.last?.index == link.index { values.removeLast() }
            values.append(link)
        }
    }

    /// The number of interfaces.
    public var count: Int { values.count }

    /// `true` if there is no interface.
    public var isEmpty: Bool { values.isEmpty }

    /// Returns an iterator over the interfaces, ordered by index.
    public func makeIterator() -> IndexingIterator<[Link]> { values.makeIterator() }

    /// The interface with an index, if there is one; `nil` removes it.
    public internal(set) subscript(index: UInt32) -> Link? {
        get {
            let position = position(of: index)
            return isPresent(index, at: position) ? values[position] : nil
        }
        set {
            let position = position(of: index)
            switch (isPresent(index, at: position), newValue) {
            case (true, let link?): values[position] = link
            case (false, let link?): values.insert(link, at: position)
            case (true, nil): values.remove(at: position)
            case (false, nil): break
            }
        }
    }

    /// Returns the interface with a name of its own, or else with an alternative one, if there is one.
    func link(named name: String) -> Link? {
        values.first { $0.name == name } ?? values.first { link in link.hasName { $0 == name } }
    }

    /// Returns the interfaces that differ from an earlier table, ordered by index: `nil` where there was none, or where
    /// there is none now.
    func differences(since old: LinkTable) -> [(old: Link?, new: Link?)] {
        var differences: [(old: Link?, new: Link?)] = []
        let (before, after) = (old.values.span, values.span)
        var (first, second) = (0, 0)
        while first < before.count || second < after.count {
            if second == after.count || first < before.count && before[first].index < after[second].index {
                differences.append((before[first], nil))
                first += 1
            } else if first == before.count || after[second].index < before[first].index {
                differences.append((nil, after[second]))
                second += 1
            } else {
                if before[first] != after[second] { differences.append((before[first], after[second])) }
                first += 1
                second += 1
            }
        }
        return differences
    }

    /// Returns the position of an interface, or its insertion point.
    private func position(of index: UInt32) -> Int {
        let links = values.span
        var range = 0..<links.count
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range =
                links[middle].index < index ? (middle + 1)..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }

    private func isPresent(_ index: UInt32, at position: Int) -> Bool {
        position < values.count && values.span[position].index == index
    }
}
