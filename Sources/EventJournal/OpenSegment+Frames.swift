// The frames of a compressed segment.
extension OpenSegment {
    /// The number of bytes of a compressed file that are read first; a frame of JSON lines is rarely longer.
    private static let frameBytes = 16 << 10
    /// The number of bytes for which short frames are read together; those of a whole block are longer.
    private static let gatheredBytes = 32 << 10

    /// Returns the content of the next frame, and of those after it if they are short: the incomplete line before them is
    /// copied and searched with each part.
    mutating func nextFrames() throws(JournalError) -> [UInt8]? {
        guard var content = try nextFrame() else { return nil }
        // The next call reports an error.
        while content.count < Self.gatheredBytes, let frame = try? frame() {
            content += frame.content
            advance(by: frame.length)
        }
        return content
    }

    mutating func nextFrame() throws(JournalError) -> [UInt8]? {
        do throws(JournalError) {
            guard let frame = try frame() else { return nil }
            advance(by: frame.length)
            return frame.content
        } catch {
            if case .malformed = error.cause { try passOverFrame(at: position) }
            throw error
        }
    }

    private mutating func advance(by length: Int) {
        position += UInt64(length)
        bytesRead += UInt64(length)
    }

    /// Returns the frame at the current position; `nil` at the end.
    private func frame() throws(JournalError) -> (content: [UInt8], length: Int)? {
        var count = Self.frameBytes
        while true {
            let bytes = try file.read(at: position, atMost: count)
            guard !bytes.isEmpty else { return nil }
            do throws(SegmentFrames.Failure) {
                if let length = try SegmentFrames.length(of: bytes), length > 0 {
                    return (try SegmentFrames.decompress(bytes[..<length]), length)
                }
                guard bytes.count == count else {
                    throw SegmentFrames.Failure(reason: "the last frame is not complete")
                }
                guard count < SegmentFrames.maximumBytes else {
                    throw SegmentFrames.Failure(reason: "a frame is too long")
                }
            } catch {
                throw JournalError(
                    operation: "decompress",
                    path: file.path,
                    cause: .malformed("\(error.reason) (at byte \(position))")
                )
            }
            count *= 2
        }
    }

    /// Continues with the block after a damaged frame, if the index has one; else with the next segment.
    private mutating func passOverFrame(at start: UInt64) throws(JournalError) {
        // The line that the damaged frame would have continued is incomplete.
        buffer = []
        consumed = 0
        if let next = index?.blocks.first(where: { $0.frameOffset > start && $0.frameLength > 0 }) {
            position = next.frameOffset
        } else {
            position = try file.size()
        }
    }
}
