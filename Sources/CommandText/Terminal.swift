package import ForeignText
internal import Glibc
internal import LinuxSupport
internal import Synchronization

/// Standard output and standard error of a command that prints a result and exits.
///
/// Text for people is a `String`, and is written only through ``TerminalText``; bytes are JSON or a file.
package enum Terminal {
    /// The name of the program in the messages of this module, as users call it.
    private static let program = Mutex("reachagent")

    /// Sets the name of the program in the message of ``exitUnwritable(_:)``.
    package static func setProgram(_ name: String) { program.withLock { $0 = name } }

    /// Prints text and a newline to standard output, with untrusted control characters escaped.
    ///
    /// A reader that has closed the output is not an error.
    package static func print(_ text: String) {
        write(TerminalText.bytes(of: text) + [UInt8(ascii: "\n")])
    }

    /// Prints a line of JSON to standard output; see ``json(_:)``.
    package static func print(_ line: [UInt8]) { write(json(line) + [UInt8(ascii: "\n")]) }

    /// Returns a line of JSON for standard output: escaped for a terminal, otherwise unchanged.
    package static func json(_ line: [UInt8]) -> [UInt8] { isTerminal ? TerminalText.json(line) : line }

    private static let isTerminal = isatty(STDOUT_FILENO) == 1

    /// Writes the bytes of a file format to standard output, unchanged.
    ///
    /// An output that ends early must not look complete, so a failed write ends the process; see ``exitUnwritable(_:)``.
    package static func write(_ bytes: [UInt8]) {
        do throws(StandardOutput.Failure) {
            try StandardOutput.write(bytes[...])
        } catch .errno(let number) {
            exitUnwritable(number)
        } catch {}
    }

    /// Writes the bytes that restore a terminal at the end; they are dropped if it takes nothing for a second.
    static func restore(_ bytes: [UInt8]) {
        _ = CompleteWrite.failure(writing: bytes[...], to: STDOUT_FILENO, patience: .seconds(1))
    }

    /// Prints the reason that standard output cannot be written, such as a full disk, and exits with status 75.
    package static func exitUnwritable(_ number: Int32) -> Never {
        let program = program.withLock { $0 }
        printError("\(program): cannot write to standard output: \(SystemError(errno: number))")
        exit(75)
    }

    /// Prints text and a newline to standard error, with untrusted control characters escaped.
    package static func printError(_ text: String) {
        writeError(TerminalText.bytes(of: text) + [UInt8(ascii: "\n")])
    }

    /// Writes bytes to standard error, unchanged; a failure cannot be reported anywhere.
    ///
    /// The rest is dropped if a reader of a non-blocking pipe takes nothing for a second, because a command that has
    /// failed must end.
    package static func writeError(_ bytes: [UInt8]) {
        _ = CompleteWrite.failure(writing: bytes[...], to: STDERR_FILENO, patience: .seconds(1))
    }
}

/// A write of all bytes to a descriptor.
private enum CompleteWrite {
    /// The time between checks for a signal, in milliseconds.
    private static let checkInterval: Int32 = 200
    /// The number of bytes that a pipe which is ready for writing takes without blocking (`PIPE_BUF`, pipe(7)).
    private static let readyBytes = 4096

    /// Writes the bytes, and waits while a non-blocking descriptor, such as a pipe of ssh or node, accepts none.
    ///
    /// - Parameters:
    ///   - patience: The maximum time that the descriptor accepts nothing; `nil` for any.
    ///   - whileWaiting: Called before each part of the bytes, and several times a second while a reader accepts none.
    /// - Returns: The reason that the rest cannot be written (errno(3)): `EINTR` if the process is to end.
    static func failure(
        writing bytes: ArraySlice<UInt8>,
        to descriptor: Int32,
        patience: Duration? = nil,
        whileWaiting: (() -> Void)? = nil
    ) -> Int32? {
        var rest = bytes
        while !rest.isEmpty {
            if let whileWaiting,
                let failure = failure(waitingFor: descriptor, until: nil, whileWaiting: whileWaiting)
            {
                return failure
            }
            let part = whileWaiting == nil ? rest : rest.prefix(readyBytes)
            let written = part.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written >= 0 {
                rest = rest.dropFirst(written)
            } else if errno == EAGAIN {
                if let failure = failure(waitingFor: descriptor, until: patience.map { .now + $0 }) { return failure }
            } else if errno != EINTR {
                return errno
            }
        }
        return nil
    }

    private static func failure(
        waitingFor descriptor: Int32,
        until limit: ContinuousClock.Instant?,
        whileWaiting: () -> Void = {}
    ) -> Int32? {
        var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        repeat {
            whileWaiting()
            if isEnding { return EINTR }
            if let limit, limit <= .now { return ETIMEDOUT }
        } while poll(&ready, 1, checkInterval) == 0
        return nil
    }

    /// `true` if a signal that ends the process waits to be read: a program that blocks it reads it after the write.
    private static var isEnding: Bool {
        var pending = sigset_t()
        sigpending(&pending)
        return [SIGINT, SIGTERM, SIGHUP].contains { sigismember(&pending, $0) == 1 }
    }
}

/// Buffered standard output, for a command that prints much.
package struct StandardOutput {
    /// The reason that a write failed.
    package enum Failure: Error {
        /// The reader has closed the output, as `| head` does, there is none, as with `>&-`, or a signal ends the process
        /// while a reader takes nothing: not worth a message.
        case readerGone
        /// The disk is full, for example (errno(3)).
        case errno(Int32)
    }

    private static let enough = 64 << 10
    private var unwritten: [UInt8] = []
    private let whileWaiting: (() -> Void)?

    /// Creates an empty output; from now on, a reader that closes it causes an error instead of a signal.
    ///
    /// - Parameter whileWaiting: Called several times a second while the reader accepts nothing, however little it takes
    ///   at a time; it must be quick.
    package init(whileWaiting: (() -> Void)? = nil) {
        self.whileWaiting = whileWaiting
        signal(SIGPIPE, SIG_IGN)
        unwritten.reserveCapacity(Self.enough * 2)
    }

    /// Ends the last line of a file that is appended to, if it is incomplete, as after a full disk.
    package mutating func beginLine() { if Self.isInsideLine { unwritten.append(UInt8(ascii: "\n")) } }

    /// `true` if standard output is a file whose last line has no end.
    private static var isInsideLine: Bool {
        var entry = stat()
        guard fstat(STDOUT_FILENO, &entry) == 0, entry.st_mode & S_IFMT == S_IFREG, entry.st_size > 0 else {
            return false
        }
        // The descriptor itself may be for writing only.
        let file = open("/proc/self/fd/\(STDOUT_FILENO)", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        var last: UInt8 = 0
        return pread(file, &last, 1, entry.st_size - 1) == 1 && last != UInt8(ascii: "\n")
    }

    /// Prints text for people and a newline, with untrusted control characters escaped.
    package mutating func print(_ text: String) throws(Failure) { try print(line: TerminalText.bytes(of: text)) }

    /// Prints a line of JSON, unchanged.
    package mutating func print(line: some Collection<UInt8>) throws(Failure) {
        unwritten.append(contentsOf: line)
        unwritten.append(UInt8(ascii: "\n"))
        if unwritten.count >= Self.enough { try flush() }
    }

    /// Writes the buffered bytes.
    package mutating func flush() throws(Failure) {
        try Self.write(unwritten[...], whileWaiting: whileWaiting)
        unwritten.removeAll(keepingCapacity: true)
    }

    /// Writes the buffered bytes, and fails if the reader has closed the output, even with nothing to write.
    package mutating func checkReader() throws(Failure) {
        try flush()
        // Without requested events, only the other end's absence is reported.
        var entry = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        if poll(&entry, 1, 0) > 0 { throw .readerGone }
    }

    /// Writes bytes, unchanged and unbuffered.
    fileprivate static func write(_ bytes: ArraySlice<UInt8>, whileWaiting: (() -> Void)? = nil) throws(Failure) {
        switch CompleteWrite.failure(writing: bytes, to: STDOUT_FILENO, whileWaiting: whileWaiting) {
        case nil: break
        case EPIPE, EBADF, EINTR: throw .readerGone
        case let number?: throw .errno(number)
        }
    }
}

/// The filter for all text that commands print for people.
///
/// Interface names, certificates, server responses, hook output, files and journals may contain anything. Every
/// character that could move a cursor, forge a line or change the text direction becomes `\u{…}`; only newlines and the
/// colours of ``TerminalStyle/standardOutput(_:)`` are kept, and untrusted text cannot contain those.
package enum TerminalText {
    /// The start of a colour in unfiltered text: private-use characters, chosen at random by each process.
    package static let introducer: String = {
        // Plane 15 is a private use area, so no text needs its characters. Five with 15 bits each cannot be guessed.
        var scalars = String.UnicodeScalarView()
        for _ in 0..<5 {
            if let scalar = Unicode.Scalar(0xF0000 + UInt32.random(in: 0..<0x8000)) { scalars.append(scalar) }
        }
        return String(scalars)
    }()
    private static let mark = Array(introducer.utf8)
    private static let sequence = Array("\u{1B}[".utf8)

    /// Returns the bytes to write for a text, which may have several lines.
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

    /// Returns an equivalent line of JSON in which no character affects a terminal.
    ///
    /// Non-ASCII characters occur only in strings, where JSON can escape them (RFC 8259, section 7).
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

    /// Returns whether a text, like most lines, has only printable ASCII and newlines.
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

/// The process that reads standard output.
package enum OutputReader {
    /// Ends this process with status 0 as soon as the reader closes the output, even while nothing is printed.
    package static func endWhenGone() {
        signal(SIGPIPE, SIG_IGN)
        // If no thread can be created, the closed output is detected with the next line.
        try? NamedThread.start("output-reader") {
            var entry = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
            while poll(&entry, 1, -1) < 0, errno == EINTR {}
            if entry.revents != 0 { exit(0) }
        }
    }
}

extension ForeignText {
    /// Returns untrusted text for a line for people: up to 2 KiB, converted by ``shown(_:limit:)-swift.type.method``.
    package static func line(_ text: String) -> String { shown(text, limit: 2048) }
}
