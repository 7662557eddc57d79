/// The value of a Content-Range field (RFC 9110, section 14.4).
package struct ContentRange: Sendable, Hashable {
    /// The first and the last byte of the response; nil in a response without any of the requested bytes.
    package var bounds: ClosedRange<Int>?
    /// The size of the whole object; nil if the server does not state it.
    package var size: Int?

    /// The maximum length of a value, which has three numbers of up to 19 digits.
    private static let longest = 80

    /// Parses `bytes 0-499/1234`, `bytes 0-499/*` or `bytes */1234`; nil for anything else, including ranges outside
    /// the object.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.longest else { return nil }
        let words = text.utf8.split(separator: 0x20, omittingEmptySubsequences: false)
        guard words.count == 2, words[0].elementsEqual("bytes".utf8, by: { $0 | 0x20 == $1 }) else { return nil }
        let parts = words[1].split(separator: 0x2F, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        if !parts[1].elementsEqual("*".utf8) {
            guard let size = Self.number(parts[1]) else { return nil }
            self.size = size
        }
        if parts[0].elementsEqual("*".utf8) {
            guard size != nil else { return nil }
            return
        }
        let ends = parts[0].split(separator: 0x2D, omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]), first <= last else {
            return nil
        }
        if let size, last >= size { return nil }
        bounds = first...last
    }

    /// The value in its normal form, which parses to the same range.
    package var text: String {
        let part = bounds.map { "\($0.lowerBound)-\($0.upperBound)" } ?? "*"
        return "bytes \(part)/\(size.map(String.init) ?? "*")"
    }

    private static func number(_ digits: Substring.UTF8View.SubSequence) -> Int? {
        guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(Substring(digits))
    }
}
