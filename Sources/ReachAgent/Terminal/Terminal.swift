internal import Glibc

/// Standard output and standard error of a command that prints and ends.
enum Terminal {
    /// Prints a line to standard output.
    ///
    /// A reader that has gone away is no error.
    static func print(_ text: String) { write(Array(text.utf8), to: STDOUT_FILENO) }

    /// Prints a line of bytes to standard output.
    static func print(_ line: [UInt8]) { write(line, to: STDOUT_FILENO) }

    /// Prints a line to standard error.
    static func printError(_ text: String) { write(Array(text.utf8), to: STDERR_FILENO) }

    private static func write(_ line: [UInt8], to descriptor: Int32) {
        var rest = (line + [UInt8(ascii: "\n")])[...]
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
