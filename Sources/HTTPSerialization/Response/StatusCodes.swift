/// A set of HTTP status codes: `200-299,304`.
public struct StatusCodes: Sendable, Hashable, CustomStringConvertible {
    /// The valid status codes: three digits, the first not zero.
    public static let possible = 100...999
    /// 200 to 299, the default.
    public static let success = StatusCodes(merging: [200...299])

    /// The codes as ascending ranges that neither overlap nor touch.
    public let ranges: [ClosedRange<Int>]

    /// Parses codes and ranges of codes separated by commas; spaces around them are ignored.
    ///
    /// - Throws: ``ExpectationError/invalidStatusCodes(_:reason:)`` for anything else, and for a code outside
    ///   ``possible``.
    public init(parsing text: String) throws(ExpectationError) {
        var ranges: [ClosedRange<Int>] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            ranges.append(try Self.range(of: part, in: text))
        }
        self.init(merging: ranges)
    }

    private init(merging ranges: [ClosedRange<Int>]) {
        var merged: [ClosedRange<Int>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = merged.last, range.lowerBound <= last.upperBound + 1 {
                merged[merged.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
            } else {
                merged.append(range)
            }
        }
        self.ranges = merged
    }

    /// Returns whether the set contains a code.
    public func contains(_ status: Int) -> Bool { ranges.contains { $0.contains(status) } }

    /// The codes in the form that ``init(parsing:)`` accepts.
    public var description: String {
        ranges.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }
            .joined(separator: ",")
    }

    private static func range(of part: Substring, in text: String) throws(ExpectationError) -> ClosedRange<Int> {
        let ends = part.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        var codes: [Int] = []
        for end in ends {
            codes.append(try code(of: end, in: text))
        }
        guard let first = codes.first, let last = codes.last else {
            throw .invalidStatusCodes(text, reason: "a code is missing")
        }
        guard first <= last else {
            throw .invalidStatusCodes(text, reason: "\(first) is above \(last)")
        }
        return first...last
    }

    private static func code(of text: Substring, in list: String) throws(ExpectationError) -> Int {
        let digits = text.utf8.filter { $0 != UInt8(ascii: " ") }
        guard !digits.isEmpty else { throw .invalidStatusCodes(list, reason: "a code is missing") }
        let trimmed = Snippet.trimmingSpaces(text)
        guard trimmed.utf8.count == 3, trimmed.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let code = Int(trimmed), possible.contains(code)
        else {
            throw .invalidStatusCodes(
                list,
                reason:
                    "\(Snippet.quoted(trimmed)) is not a code from \(possible.lowerBound) to \(possible.upperBound)"
            )
        }
        return code
    }
}
