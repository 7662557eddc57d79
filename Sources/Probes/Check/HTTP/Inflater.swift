internal import CLibZ

/// Decodes a content encoding piece by piece: `gzip` with any number of members (RFC 1952, section 2.2), or `deflate`,
/// which is zlib's format (RFC 1950).
final class Inflater {
    /// The supported content codings.
    enum Format {
        case gzip, deflate

        /// The bits of zlib's window, plus 16 for the gzip header.
        fileprivate var windowBits: CInt { self == .gzip ? 31 : 15 }
    }

    /// The reason bytes cannot be inflated.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private static let chunkBytes = 16 << 10

    private let format: Format
    /// On the heap, because zlib keeps the address.
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private var chunk = [UInt8](repeating: 0, count: Inflater.chunkBytes)
    /// `true` when the input so far ends at the end of a member.
    private(set) var isComplete = false

    init(_ format: Format) throws(Failure) {
        self.format = format
        stream.initialize(to: z_stream())
        let size = CInt(MemoryLayout<z_stream>.size)
        let status = inflateInit2_(stream, format.windowBits, ZLIB_VERSION, size)
        guard status == Z_OK else { throw Failure(description: "zlib cannot start (\(status))") }
    }

    deinit {
        // Harmless for a stream that was never initialized.
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Inflates a piece.
    ///
    /// - Parameter output: Receives each chunk of output; returns false to stop.
    func inflate(_ piece: [UInt8], output: (ArraySlice<UInt8>) -> Bool) throws(Failure) {
        var piece = piece
        let failure = piece.withUnsafeMutableBufferPointer { piece -> Failure? in
            stream.pointee.next_in = piece.baseAddress
            stream.pointee.avail_in = UInt32(clamping: piece.count)
            defer { (stream.pointee.next_in, stream.pointee.avail_in) = (nil, 0) }
            return run(output)
        }
        if let failure { throw failure }
    }

    private func run(_ output: (ArraySlice<UInt8>) -> Bool) -> Failure? {
        var hasMore = stream.pointee.avail_in > 0
        while hasMore {
            if isComplete {
                guard format == .gzip else { return Failure(description: "bytes follow its end") }
                inflateReset(stream)
                isComplete = false
            }
            let (status, count) = step()
            if count > 0, !output(chunk[..<count]) { return nil }
            switch status {
            case Z_OK, Z_BUF_ERROR: break
            case Z_STREAM_END: isComplete = true
            default:
                let reason = stream.pointee.msg.map { String(cString: $0) } ?? "zlib's error \(status)"
                return Failure(description: reason)
            }
            // A full chunk may not be all the output of the last input.
            hasMore = stream.pointee.avail_in > 0 || count == chunk.count && !isComplete
        }
        return nil
    }

    /// Fills the chunk once.
    private func step() -> (status: CInt, count: Int) {
        chunk.withUnsafeMutableBufferPointer { chunk in
            stream.pointee.next_out = chunk.baseAddress
            stream.pointee.avail_out = UInt32(clamping: chunk.count)
            let status = CLibZ.inflate(stream, Z_NO_FLUSH)
            return (status, chunk.count - Int(stream.pointee.avail_out))
        }
    }
}
