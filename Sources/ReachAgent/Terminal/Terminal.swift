internal import Glibc

/// Standard output and standard error of a command that prints and ends.
enum Terminal {
    /// Prints a line to standard output.
    ///
    /// A reader that has gone away is no error.
    static func print(_ text: String) { print(Array(text.utf8)) }

    /// Prints a line of bytes to standard output.
    static func print(_ line: [UInt8]) { write(line + [UInt8(ascii: "\n")], to: STDOUT_FILENO) }

    /// Writes bytes to standard output as they are.
    static func write(_ bytes: [UInt8]) { write(bytes, to: STDOUT_FILENO) }

    /// Prints a line to standard error.
    static func printError(_ text: String) { write(Array(text.utf8) + [UInt8(ascii: "\n")], to: STDERR_FILENO) }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written < 0 {
                guard errno == EINTR else { return }
                continue
            }
            rest = rest.dropFirst(written)
        }
    }
}
