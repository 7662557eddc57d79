internal import ForeignText

/// Finds secrets in text, all of them at once, with any of their characters escaped.
///
/// The secrets are sorted, so that each byte of a text narrows the range of those that begin like it. At each index at
/// most ``telling`` characters are read in vain: more of them are a match, and the search goes on after it. So the work
/// is proportional to the text, whatever it contains, and to the logarithm of the number of secrets.
package struct SecretMatcher: Sendable {
    /// The number of leading bytes that identify a secret.
    package static let telling = 8
    /// The size of the shortest secrets, in bytes, and of the shortest beginning at the end of a truncated text.
    package static let shortest = 4

    /// The interpretation of what may be an escape or itself, as `%25` in a secret: one must hold for a whole match.
    private struct Reading {
        /// The introducers that begin an escape wherever they can.
        var preferred: [UInt8] = []
        /// `true` for escapes whose backslashes evidence has escaped.
        var isQuoted = false
    }

    /// The secrets that begin like the text that was read.
    private struct Walk {
        var candidates: Range<Int>
        /// The number of bytes that they have in common.
        var depth = 0
        var index: Int
    }

    /// The secrets in lower case, sorted by their bytes.
    private let secrets: [[UInt8]]
    /// The secrets with each first byte.
    private let beginnings: [Range<Int>]

    /// Creates a matcher of exactly these bytes, in any case.
    package init(_ secrets: some Sequence<[UInt8]>) {
        let lowered = Set(secrets.map { $0.map(\.lowercasedASCII) }.filter { $0.count >= Self.shortest })
        let sorted = lowered.sorted { $0.lexicographicallyPrecedes($1) }
        var beginnings = Array(repeating: 0..<0, count: 256)
        for (index, secret) in sorted.enumerated() {
            let known = beginnings[Int(secret[0])]
            beginnings[Int(secret[0])] = (known.isEmpty ? index : known.lowerBound)..<(index + 1)
        }
        (self.secrets, self.beginnings) = (sorted, beginnings)
    }

    /// `true` if there are no secrets.
    package var isEmpty: Bool { secrets.isEmpty }

    /// Returns the bytes with a placeholder for each secret; at the end of truncated bytes a prefix of one counts too.
    package func replaced(in bytes: [UInt8], by placeholder: String, isCut: Bool) -> [UInt8] {
        let readings = Self.readings(of: bytes)
        var result: [UInt8] = []
        var index = bytes.startIndex
        while index < bytes.endIndex {
            var end = index
            // Most bytes begin nothing.
            if mayBegin(with: bytes[index]) {
                for reading in readings { end = max(end, endOfMatch(in: bytes, from: index, reading, isCut)) }
            }
            if end > index {
                result += placeholder.utf8
                index = end
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return result
    }

    private func mayBegin(with byte: UInt8) -> Bool {
        !beginnings[Int(byte.lowercasedASCII)].isEmpty || EscapedCharacter.introducers.contains(byte)
    }

    /// Returns the readings that differ for a text.
    private static func readings(of bytes: [UInt8]) -> [Reading] {
        let backslash = UInt8(ascii: "\\")
        let introducers = EscapedCharacter.introducers.filter(bytes.contains)
        guard !introducers.isEmpty else { return [Reading()] }
        // A text in JSON has its percent signs as they are.
        let preferences = introducers.contains(backslash) ? [[backslash], introducers] : [introducers]
        let mayBeQuoted = zip(bytes, bytes.dropFirst()).contains { $0 == backslash && $1 == backslash }
        return [Reading()]
            + (mayBeQuoted ? [false, true] : [false]).flatMap { isQuoted in
                preferences.map { Reading(preferred: $0, isQuoted: isQuoted) }
            }
    }

    /// Returns the end of the secret, or of its beginning, at an index; the index itself if too few bytes match.
    private func endOfMatch(in bytes: [UInt8], from start: Int, _ reading: Reading, _ isCut: Bool) -> Int {
        var walk = Walk(candidates: secrets.indices, index: start)
        var end = start
        while walk.index < bytes.count, let next = next(walk, in: bytes, reading) {
            walk = next
            // Of secrets that begin alike the shortest is the first.
            if walk.depth >= Self.telling || secrets[walk.candidates.lowerBound].count == walk.depth {
                end = walk.index
            }
        }
        guard isCut, walk.depth >= Self.shortest else { return end }
        return walk.index == bytes.count || isCutEscape(in: bytes, at: walk.index, reading) ? bytes.count : end
    }

    private func isCutEscape(in bytes: [UInt8], at index: Int, _ reading: Reading) -> Bool {
        bytes.count - index < EscapedCharacter.longest && EscapedCharacter.introducers.contains(bytes[index])
            && EscapedCharacter(in: bytes, at: index, isQuoted: reading.isQuoted) == nil
    }

    /// Reads the next character of a text as itself or as an escape; nil if no secret continues with it.
    private func next(_ walk: Walk, in bytes: [UInt8], _ reading: Reading) -> Walk? {
        func plain() -> Walk? { narrowed(walk, to: CollectionOfOne(bytes[walk.index]), length: 1) }
        func escaped() -> Walk? {
            guard let escape = EscapedCharacter(in: bytes, at: walk.index, isQuoted: reading.isQuoted) else {
                return nil
            }
            return switch escape.value {
            case .byte(let byte): narrowed(walk, to: CollectionOfOne(byte), length: escape.length)
            case .scalar(let scalar): narrowed(walk, to: scalar.utf8, length: escape.length)
            }
        }
        return reading.preferred.contains(bytes[walk.index]) ? escaped() ?? plain() : plain() ?? escaped()
    }

    private func narrowed(_ walk: Walk, to bytes: some Collection<UInt8>, length: Int) -> Walk? {
        var walk = walk
        for byte in bytes {
            walk.candidates = candidates(of: walk, continuingWith: byte.lowercasedASCII)
            guard !walk.candidates.isEmpty else { return nil }
            walk.depth += 1
        }
        walk.index += length
        return walk
    }

    private func candidates(of walk: Walk, continuingWith byte: UInt8) -> Range<Int> {
        if walk.depth == 0 { return beginnings[Int(byte)] }
        // A secret that ends here precedes those that continue.
        func isBefore(_ secret: [UInt8], _ limit: Int) -> Bool {
            secret.count <= walk.depth || Int(secret[walk.depth]) < limit
        }
        let start = firstIndex(in: walk.candidates) { !isBefore($0, Int(byte)) }
        return start..<firstIndex(in: start..<walk.candidates.upperBound) { !isBefore($0, Int(byte) + 1) }
    }

    /// Returns the first index of a secret with a property that all after it have too.
    private func firstIndex(in range: Range<Int>, where isAfter: ([UInt8]) -> Bool) -> Int {
        var (low, high) = (range.lowerBound, range.upperBound)
        while low < high {
            let middle = (low + high) / 2
            if isAfter(secrets[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
