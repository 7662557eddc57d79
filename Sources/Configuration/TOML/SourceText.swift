/// The text of one configuration file.
struct SourceText: Sendable {
    /// The maximum size of a file in bytes.
    static let maxBytes = 1 << 20

    /// The name of the file in messages.
    let file: String
    /// The text in UTF-8, without a byte order mark and without the character NUL.
    let bytes: [UInt8]

    /// Creates a text, and rejects bytes that no line of a configuration file may contain.
    init(_ bytes: [UInt8], file: String) throws(ConfigurationErrors) {
        guard bytes.count <= Self.maxBytes else {
            throw ConfigurationErrors([ConfigurationError(file: file, message: "is larger than 1 MiB, the maximum")])
        }
        if let offset = Self.firstInvalidByte(bytes) {
            throw Self.error(file, bytes, offset, "is not valid UTF-8")
        }
        if let offset = bytes.firstIndex(of: 0) {
            throw Self.error(file, bytes, offset, "contains the character NUL")
        }
        self.file = file
        self.bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
    }

    private static func error(
        _ file: String,
        _ bytes: [UInt8],
        _ offset: Int,
        _ message: String
    ) -> ConfigurationErrors {
        let line = bytes[..<offset].count { $0 == UInt8(ascii: "\n") } + 1
        let start = bytes[..<offset].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        // Each character has exactly one byte that is not a continuation byte.
        let column = bytes[start..<offset].count { $0 & 0xC0 != 0x80 } + 1
        return ConfigurationErrors([ConfigurationError(file: file, line: line, column: column, message: message)])
    }

    private static func firstInvalidByte(_ bytes: [UInt8]) -> Int? {
        var decoder = UTF8()
        var iterator = bytes.makeIterator()
        var offset = 0
        while true {
            switch decoder.decode(&iterator) {
            case .scalarValue(let scalar): offset += UTF8.width(scalar)
            case .emptyInput: return nil
            case .error: return offset
            }
        }
    }
}
