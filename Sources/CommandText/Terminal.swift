package import ForeignText
internal import Glibc
internal import LinuxSupport

/// Standard output and standard error of a command that prints and ends.
///
/// Text for people is a `String`, and reaches a descriptor through ``TerminalText`` alone; bytes are JSON or a file.
package enum Terminal {
    /// Prints text and the end of a line to standard output, without any control character of a stranger's.
    ///
    /// A reader that has gone away is no error.
    package static func print(_ text: String) {
        write(TerminalText.bytes(of: text) + [UInt8(ascii: "\n")], to: STDOUT_FILENO)
    }

    /// Prints a line of JSON to standard output; see ``json(_:)``.
    package static func print(_ line: [UInt8]) { write(json(line) + [UInt8(ascii: "\n")], to: STDOUT_FILENO) }

    /// A line of JSON for standard output: as it is for a program, and without active characters for a terminal.
    package static func json(_ line: [UInt8]) -> [UInt8] { isTerminal ? TerminalText.json(line) : line }

    private static let isTerminal = isatty(STDOUT_FILENO) == 1

    /// Writes the bytes of a file format to standard output, as they are.
    package static func write(_ bytes: [UInt8]) { write(bytes, to: STDOUT_FILENO) }

    /// Prints text and the end of a line to standard error, without any control character of a stranger's.
    package static func printError(_ text: String) {
        write(TerminalText.bytes(of: text) + [UInt8(ascii: "\n")], to: STDERR_FILENO)
    }

    /// Writes bytes to standard error, as they are.
    package static func writeError(_ bytes: [UInt8]) { write(bytes, to: STDERR_FILENO) }

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

/// Standard output of a command that prints much: lines are collected, and written when there are enough of them.
package struct StandardOutput {
    /// The reason that nothing more can be written.
    package enum Failure: Error {
        /// The reader has gone, as behind `| head`: no reason to complain.
        case readerGone
        /// The disk is full, for example (errno(3)).
        case errno(Int32)
    }

    private static let enough = 64 << 10
    private var unwritten: [UInt8] = []

    /// An empty output; a reader that goes away is from now on an error and no signal.
    package init() {
        signal(SIGPIPE, SIG_IGN)
        unwritten.reserveCapacity(Self.enough * 2)
    }

    /// Prints text for people, without any control character of a stranger's, and the end of a line.
    package mutating func print(_ text: String) throws(Failure) { try print(line: TerminalText.bytes(of: text)) }

    /// Prints a line of JSON as it is.
    package mutating func print(line: some Collection<UInt8>) throws(Failure) {
        unwritten.append(contentsOf: line)
        unwritten.append(UInt8(ascii: "\n"))
        if unwritten.count >= Self.enough { try flush() }
    }

    /// Writes what was collected.
    package mutating func flush() throws(Failure) {
        var start = 0
        while start < unwritten.count {
            let written = unwritten[start...].withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if written >= 0 {
                start += written
            } else if errno == EPIPE {
                throw .readerGone
            } else if errno == EAGAIN {
                var ready = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
                poll(&ready, 1, -1)
            } else if errno != EINTR {
                throw .errno(errno)
            }
        }
        unwritten.removeAll(keepingCapacity: true)
    }
}

/// The last place that text for people passes on its way to a terminal, whichever command prints it.
///
/// Names of interfaces, certificates, answers of servers, output of hooks, files and journals may hold anything. Here every
/// character that could move a cursor, forge a line or turn the order of reading becomes `\u{…}`; only the ends of lines
/// and the colours of ``TerminalStyle/standardOutput(_:)`` are left, and those no stranger can write.
package enum TerminalText {
    /// The beginning of a colour in text that has not passed yet: private characters, drawn anew by each process.
    package static let introducer: String = {
        // Characters of plane 15 are private: no text has a use for them. Five with 15 bits each cannot be guessed.
        var scalars = String.UnicodeScalarView()
        for _ in 0..<5 {
            if let scalar = Unicode.Scalar(0xF0000 + UInt32.random(in: 0..<0x8000)) { scalars.append(scalar) }
        }
        return String(scalars)
    }()
    private static let mark = Array(introducer.utf8)
    private static let sequence = Array("\u{1B}[".utf8)

    /// The bytes that are written for a text, which may have several lines.
    package static func bytes(of text: String) -> [UInt8] {
        let utf8 = Array(text.utf8)
        guard !isPlain(utf8) else { return utf8 }
        var bytes: [UInt8] = []
        var rest = utf8[...]
        while let range = rest.firstRange(of: mark) {
            append(rest[..<range.lowerBound], to: &bytes)
            bytes += sequence
            rest = rest[range.upperBound...]
        }
        append(rest, to: &bytes)
        return bytes
    }

    /// A line of JSON that means the same, in which no character acts on a terminal.
    ///
    /// Beyond ASCII there are only the characters of strings, which JSON can escape (RFC 8259, section 7).
    package static func json(_ line: [UInt8]) -> [UInt8] {
        guard !isPlain(line) else { return line }
        var bytes: [UInt8] = []
        for scalar in String(decoding: line, as: UTF8.self).unicodeScalars {
            if scalar != "\n", ForeignText.isActive(scalar) {
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    bytes += "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".utf8
                }
            } else {
                bytes += String(scalar).utf8
            }
        }
        return bytes
    }

    /// True for printable ASCII and ends of lines alone, as most lines are.
    private static func isPlain(_ utf8: [UInt8]) -> Bool {
        utf8.allSatisfy { $0 &- 0x20 < 0x5F || $0 == UInt8(ascii: "\n") }
    }

    private static func append(_ utf8: ArraySlice<UInt8>, to bytes: inout [UInt8]) {
        var lines = utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)[...]
        if let first = lines.popFirst() { bytes += ForeignText.shown(first, limit: first.count).utf8 }
        for line in lines {
            bytes.append(UInt8(ascii: "\n"))
            bytes += ForeignText.shown(line, limit: line.count).utf8
        }
    }
}

/// The process that reads our standard output.
package enum OutputReader {
    /// Ends this process with status 0 as soon as the reader closes its output, even while nothing is printed.
    package static func endWhenGone() {
        signal(SIGPIPE, SIG_IGN)
        // Without a thread to spare a reader that goes is noticed with the next line.
        try? NamedThread.start("output-reader") {
            var entry = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
            while poll(&entry, 1, -1) < 0, errno == EINTR {}
            if entry.revents != 0 { exit(0) }
        }
    }
}

extension ForeignText {
    /// Text from the network as a line for a person has it: as ``shown(_:limit:)-swift.type.method`` shows it, up to 2 KiB.
    package static func line(_ text: String) -> String { shown(text, limit: 2048) }
}
