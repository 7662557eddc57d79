/// JSON text from an untrusted source.
package enum JSONText {
    /// Returns the ranges of the values of some members, in the order of the names; `nil` for a missing member.
    ///
    /// - Returns: `nil` unless the bytes are one well-formed JSON object on one line.
    package static func values(of names: [StaticString], in text: Span<UInt8>) -> [Range<Int>?]? {
        text.withUnsafeBufferPointer { bytes in
            var scanner = JSONScanner(bytes)
            return scanner.scanValues(of: names)
        }
    }
}
