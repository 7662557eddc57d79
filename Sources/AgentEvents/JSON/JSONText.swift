/// JSON text that came from elsewhere.
package enum JSONText {
    /// The places of the values of some members, in the order of the names; `nil` where there is no such member.
    ///
    /// - Returns: `nil` when the bytes are anything else than one well-formed JSON object on one line.
    package static func values(of names: [StaticString], in text: Span<UInt8>) -> [Range<Int>?]? {
        text.withUnsafeBufferPointer { bytes in
            var scanner = JSONScanner(bytes)
            return scanner.scanValues(of: names)
        }
    }
}
