/// JSON text that came from elsewhere.
package enum JSONText {
    /// Whether bytes are one well-formed JSON object in UTF-8 on one line, nested no deeper than ``ScannedLine/mostDepth``.
    package static func isObject(_ text: Span<UInt8>) -> Bool {
        text.withUnsafeBufferPointer { bytes in
            var scanner = JSONScanner(bytes)
            return scanner.scanObject()
        }
    }
}
