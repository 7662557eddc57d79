internal import NIOCore

/// Cuts what a client sends into lines, of which none takes more memory than the limit.
struct LineFramer {
    /// What was cut off.
    enum Item: Equatable {
        /// A line without its end.
        case line([UInt8])
        /// A line was longer than the limit; what is left of it is skipped.
        case tooLong
    }

    private let limit: Int
    private var buffer = ByteBuffer()
    /// How many bytes of the buffer are known to have no line's end.
    private var searched = 0
    private var isSkipping = false

    /// A framer for lines of at most so many bytes.
    init(limit: Int) { self.limit = max(1, limit) }

    /// Whether nothing waits to be cut.
    var isEmpty: Bool { buffer.readableBytes == 0 }
    /// How many bytes wait to be cut.
    var count: Int { buffer.readableBytes }
    /// Whether a line has begun whose end was not read.
    var isInLine: Bool { !isEmpty || isSkipping }
    /// How much memory the buffer takes.
    var heldBytes: Int { isEmpty ? 0 : buffer.storageCapacity }

    /// Adds what was read.
    mutating func append(_ bytes: ByteBuffer) {
        var bytes = bytes
        if buffer.readableBytes == 0 { buffer = bytes } else { buffer.writeBuffer(&bytes) }
    }

    /// The next line; `nil` when more has to be read.
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

    /// What is left when nothing more comes: a last line without an end.
    mutating func rest() -> Item? {
        if let item = next() { return item }
        guard !isEmpty, let line = buffer.readBytes(length: buffer.readableBytes) else { return nil }
        discard()
        return .line(line)
    }

    /// Forgets everything, and gives the memory back.
    mutating func discard() {
        buffer = ByteBuffer()
        searched = 0
    }
}
