/// The text of one configuration file.
struct SourceText: Sendable {
    /// The most bytes that a file may have.
    static let mostBytes = 1 << 20

    /// The file, as messages name it.
    let file: String
    /// The text in UTF-8, without a byte order mark and without the character NUL.
    let bytes: [UInt8]

    /// Checks what no line of a configuration file may hold.
    init(_ bytes: [UInt8], file: String) throws(ConfigurationErrors) {
        guard bytes.count <= Self.mostBytes else {
            throw ConfigurationErrors([
                ConfigurationError(file: file, message: "is larger than 1 MiB, the most that is read")
            ])
        }
        if let offset = Self.firstInvalidByte(bytes) {
            throw Self.refusal(file, bytes, offset, "is not UTF-8 at byte \(Self.column(bytes, offset))")
        }
        if let offset = bytes.firstIndex(of: 0) {
            throw Self.refusal(file, bytes, offset, "holds the character NUL at byte \(Self.column(bytes, offset))")
        }
        self.file = file
        self.bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
    }

    private static func refusal(
        _ file: String,
        _ bytes: [UInt8],
        _ offset: Int,
        _ message: String
    ) -> ConfigurationErrors {
        let line = bytes[..<offset].count { $0 == UInt8(ascii: "\n") } + 1
        return ConfigurationErrors([ConfigurationError(file: file, line: line, message: message)])
    }

    /// The place of a byte in its line, from 1.
    private static func column(_ bytes: [UInt8], _ offset: Int) -> Int {
        let start = bytes[..<offset].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        return offset - start + 1
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
