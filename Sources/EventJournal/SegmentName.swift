/// The name of a segment and of what belongs to it: the number of its first event.
struct SegmentName: Hashable, Comparable, Sendable {
    let firstSequence: UInt64

    init(firstSequence: UInt64) { self.firstSequence = firstSequence }

    init?(fileName: String) {
        guard fileName.hasPrefix("events-") else { return nil }
        let rest = fileName.dropFirst(7)
        guard let digits = [".jsonl", ".jsonl.zst", ".index"].first(where: { rest.dropFirst(20) == $0 }).map({ _ in rest.prefix(20) }),
            digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), let number = UInt64(digits)
        else { return nil }
        firstSequence = number
    }

    var plain: String { "events-\(digits).jsonl" }
    var compressed: String { "events-\(digits).jsonl.zst" }
    var index: String { "events-\(digits).index" }

    private var digits: String {
        let text = String(firstSequence)
        return String(repeating: "0", count: 20 - text.utf8.count) + text
    }

    static func < (left: SegmentName, right: SegmentName) -> Bool { left.firstSequence < right.firstSequence }
}
