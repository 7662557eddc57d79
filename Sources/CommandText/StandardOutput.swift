internal import ArgumentParser
internal import Glibc

/// Standard output of a command that prints much: lines are collected, and written when there are enough of them.
package struct StandardOutput {
    /// Why nothing more can be written.
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
