internal import NIOCore

/// The content of an upload, which repeats a single piece in memory.
final class UploadContent {
    /// The number of bytes of the content.
    let length: Int
    /// The number of bytes handed out.
    private(set) var taken = 0
    /// `true` once a further piece was requested after the last one.
    private(set) var isAtEnd = false

    private let piece: ByteBuffer

    /// - Parameter pieceBytes: The size of the piece.
    init(length: Int, pieceBytes: Int = 64 << 10) {
        self.length = length
        var generator = SystemRandomNumberGenerator()
        var piece = ByteBufferAllocator().buffer(capacity: pieceBytes)
        // Random, because a compressing link or tunnel must not look faster than it is.
        while piece.readableBytes < pieceBytes { piece.writeInteger(generator.next()) }
        self.piece = piece
    }

    /// Returns the next piece, which shares its memory with all others; nil at the end.
    func next(upTo count: Int) -> ByteBuffer? {
        let size = min(count, length - taken, piece.readableBytes)
        guard size > 0, let slice = piece.getSlice(at: piece.readerIndex, length: size) else {
            isAtEnd = true
            return nil
        }
        taken += size
        return slice
    }
}
