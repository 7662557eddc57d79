/// The file with the stream's name, which identifies the stream of numbers.
enum StreamName {
    private static let file = "stream"

    /// Reads the name in the directory; `nil` if it is missing or invalid.
    static func read(in directory: JournalDirectory) -> String? {
        guard let content = directory.read(file, atMost: 33), content.count == 33, content.last == UInt8(ascii: "\n"),
            content.dropLast().allSatisfy({
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            })
        else { return nil }
        return String(decoding: content.dropLast(), as: UTF8.self)
    }

    /// Returns a new name: 32 random hexadecimal digits.
    static func random() -> String {
        var generator = SystemRandomNumberGenerator()
        return [generator.next(), generator.next()].map { (half: UInt64) in
            let digits = String(half, radix: 16)
            return String(repeating: "0", count: 16 - digits.utf8.count) + digits
        }.joined()
    }

    /// Writes the name into the directory if it is missing.
    static func keep(_ name: String, in directory: JournalDirectory) throws(JournalError) {
        if read(in: directory) != name { try directory.replace(file, with: Array("\(name)\n".utf8), syncs: true) }
    }
}
