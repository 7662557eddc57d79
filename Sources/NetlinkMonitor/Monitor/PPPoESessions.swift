internal import Glibc

/// The Ethernet interfaces of the machine's PPPoE sessions, from `/proc/net/pppoe`.
enum PPPoESessions {
    /// The maximum size of the file; only a concentrator has more sessions.
    private static let maximumBytes = 64 * 1024

    /// Returns the interface of each session, by name; none if the kernel has no PPPoE.
    static func interfaces(procfs root: String = "/proc") -> [String] {
        let descriptor = open("\(root)/thread-self/net/pppoe", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        var text = [UInt8](repeating: 0, count: maximumBytes)
        var count = 0
        while count < text.count {
            let length = text.withUnsafeMutableBytes {
                read(descriptor, $0.baseAddress?.advanced(by: count), $0.count - count)
            }
            guard length > 0 else { break }
            count += length
        }
        return interfaces(in: text.prefix(count))
    }

    /// Parses the file: a heading, then a number, the peer's address and the interface in each line.
    static func interfaces(in text: some Collection<UInt8>) -> [String] {
        text.split(separator: UInt8(ascii: "\n")).dropFirst().compactMap { line in
            let words = line.split(separator: UInt8(ascii: " "))
            return words.count == 3 ? String(decoding: words[2], as: UTF8.self) : nil
        }
    }
}
