internal import AgentEvents
internal import Glibc

/// Cuts bytes into lines of a bounded length.
struct LineBuffer {
    /// A reply is an event and a little around it.
    static let maximumBytes = ScannedLine.maximumBytes + 1024

    private let maximumBytes: Int
    private var bytes: [UInt8] = []
    private var start = 0
    /// Up to where no line's end was found.
    private var searched = 0

    init(maximumBytes: Int = LineBuffer.maximumBytes) { self.maximumBytes = maximumBytes }

    /// Adds what was received.
    mutating func append(_ received: ArraySlice<UInt8>) {
        if start > 0 {
            // What is left is part of one line, as all lines are taken before more is received.
            bytes.removeFirst(start)
            searched -= start
            start = 0
        }
        bytes += received
    }

    /// The next complete line, without its end; `nil` when more has to be received.
    ///
    /// - Throws: ``ClientError/malformed(_:)`` when the line is longer than is accepted.
    mutating func next() throws(ClientError) -> ArraySlice<UInt8>? {
        guard let end = endOfLine() else {
            searched = bytes.count
            guard bytes.count - start <= maximumBytes else { throw tooLong }
            return nil
        }
        let line = bytes[start..<end]
        start = end + 1
        searched = start
        guard line.count <= maximumBytes else { throw tooLong }
        return line
    }

    private var tooLong: ClientError { .malformed("a line is longer than \(maximumBytes) bytes") }

    private func endOfLine() -> Int? {
        bytes.withUnsafeBytes { bytes in
            guard searched < bytes.count, let base = bytes.baseAddress else { return nil }
            guard let found = memchr(base + searched, 0x0A, bytes.count - searched) else { return nil }
            return UnsafeRawPointer(found) - base
        }
    }
}
