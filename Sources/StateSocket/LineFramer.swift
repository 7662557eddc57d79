internal import NIOCore

/// Splits a client's input into lines, in bounded memory.
struct LineFramer {
    /// The result of a split.
    enum Item: Equatable {
        /// A line without its newline.
        case line([UInt8])
        /// A line exceeded the limit; the rest of it is skipped.
        case tooLong
    }

    private let limit: Int
    private var buffer = ByteBuffer()
    /// The number of bytes in the buffer that are known to contain no newline.
    private var searched = 0
    private var isSkipping = false

    /// Creates a framer for lines up to a limit in bytes.
    init(limit: Int) { self.limit = max(1, limit) }

    /// `true` if the buffer is empty.
    var isEmpty: Bool { buffer.readableBytes == 0 }
    /// The number of buffered bytes.
    var count: Int { buffer.readableBytes }
    /// `true` if an incomplete line was read.
    var isInLine: Bool { !isEmpty || isSkipping }
    /// The memory of the buffer, in bytes.
    var heldBytes: Int { isEmpty ? 0 : buffer.storageCapacity }

    /// Appends input.
    mutating func append(_ bytes: ByteBuffer) {
        guard buffer.readableBytes > 0 else { return buffer = bytes }
        var bytes = bytes
        // The room of consumed lines is reused, once the rest that has to be moved is at most twice as long.
        if buffer.readerIndex >= buffer.readableBytes / 2 { buffer.discardReadBytes() }
        // A line longer than one read gets all the room that it may need: growing step by step would leave holes in the
        // heap, which together are as large as the lines.
        buffer.reserveCapacity(max(limit, buffer.readableBytes + bytes.readableBytes))
        buffer.writeBuffer(&bytes)
    }

    /// Returns the next line; `nil` if more input is needed.
    mutating func next() -> Item? {
        while true {
            let view = buffer.readableBytesView
            guard let end = view.dropFirst(searched).firstIndex(of: UInt8(ascii: "\n")) else {
                searched = buffer.readableBytes
                if isSkipping {
                    discard()
                } else if searched > limit {
                    discard()
                    isSkipping = true
                    return .tooLong
                }
                return nil
            }
            let length = end - view.startIndex
            searched = 0
            let line = buffer.readBytes(length: length) ?? []
            buffer.moveReaderIndex(forwardBy: min(1, buffer.readableBytes))
            if buffer.readableBytes == 0 { discard() }
            if isSkipping {
                isSkipping = false
                continue
            }
            return length > limit ? .tooLong : .line(line)
        }
    }

    /// Returns the rest at the end of the input: a last line without a newline.
    mutating func rest() -> Item? {
        if let item = next() { return item }
        guard !isEmpty, let line = buffer.readBytes(length: buffer.readableBytes) else { return nil }
        discard()
        return .line(line)
    }

    /// Drops everything, and frees the memory.
    mutating func discard() {
        buffer = ByteBuffer()
        searched = 0
    }
}
