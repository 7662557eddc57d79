/// JSON text that came from elsewhere.
package enum JSONText {
    /// Whether bytes are one well-formed JSON object in UTF-8 on one line, nested no deeper than ``ScannedLine/mostDepth``.
    package static func isObject(_ text: Span<UInt8>) -> Bool {
        text.withUnsafeBufferPointer { bytes in
            var scanner = JSONScanner(bytes)
            return scanner.scanObject()
        }
    }

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
