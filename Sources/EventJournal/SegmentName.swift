/// The name of a segment: the number of its first event, in twenty digits, so that names sort as numbers do.
struct SegmentName: Hashable, Comparable, Sendable {
    /// The number of the segment's first event, written or not.
    let firstSequence: UInt64

    init(firstSequence: UInt64) { self.firstSequence = firstSequence }

    /// Parses the name of one of a segment's three files; `nil` for any other name.
    init?(fileName: String) {
        let characters = Array(fileName.utf8)
        let digits = Self.prefix.utf8.count..<Self.prefix.utf8.count + Self.digits
        guard characters.count > digits.upperBound, characters.starts(with: Self.prefix.utf8) else { return nil }
        let suffix = String(decoding: characters[digits.upperBound...], as: UTF8.self)
        guard [Self.plainSuffix, Self.compressedSuffix, Self.indexSuffix].contains(suffix),
            characters[digits].allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }),
            let number = UInt64(String(decoding: characters[digits], as: UTF8.self)), number > 0
        else { return nil }
        firstSequence = number
    }

    /// The name of the plain segment: `events-00000000000000000042.jsonl`.
    var plain: String { stem + Self.plainSuffix }

    /// The name of the compressed segment: `events-00000000000000000042.jsonl.zst`.
    var compressed: String { stem + Self.compressedSuffix }

    /// The name of the segment's index: `events-00000000000000000042.index`.
    var index: String { stem + Self.indexSuffix }

    static func < (left: SegmentName, right: SegmentName) -> Bool { left.firstSequence < right.firstSequence }

    private static let prefix = "events-"
    private static let digits = 20
    private static let plainSuffix = ".jsonl"
    private static let compressedSuffix = ".jsonl.zst"
    private static let indexSuffix = ".index"

    private var stem: String {
        let number = String(firstSequence)
        return Self.prefix + String(repeating: "0", count: max(0, Self.digits - number.utf8.count)) + number
    }
}
