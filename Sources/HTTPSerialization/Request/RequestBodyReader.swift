/// Reads a body piece by piece, with at most one open file at a time.
///
/// A copy continues independently from the same position.
public struct RequestBodyReader: Sendable {
    /// The maximum number of bytes that one call returns.
    public static let maximumCount = 1024 * 1024

    private let segments: [RequestBody.Segment]
    private var index = 0
    private var offset = 0
    private var file: OpenFile?

    /// Every file is opened once, so that a missing one is detected before the first byte is sent.
    init(segments: [RequestBody.Segment]) throws(RequestError) {
        self.segments = segments
        for case .file(let content) in segments { _ = try content.open() }
    }

    /// Returns the next bytes, at most `count` and at least one; none at the end.
    ///
    /// As many bytes are returned as requested, up to ``maximumCount``, except for the last call.
    /// - Throws: ``RequestError/fileChanged(path:announced:)`` when a file grew or shrank since its length was
    ///   announced, ``RequestError/file(path:reason:)`` when it cannot be read.
    public mutating func read(upTo count: Int) throws(RequestError) -> [UInt8] {
        let wanted = min(max(count, 1), Self.maximumCount)
        var bytes: [UInt8] = []
        while bytes.count < wanted, index < segments.count {
            let segment = segments[index]
            let rest = segment.length - offset
            guard rest > 0 else {
                try endSegment()
                continue
            }
            let part = try read(min(rest, wanted - bytes.count), of: segment)
            offset += part.count
            bytes += part
        }
        // A file at the end of the body is checked now: a caller that counts bytes does not call again.
        while index < segments.count, offset == segments[index].length { try endSegment() }
        return bytes
    }

    private mutating func read(_ count: Int, of segment: RequestBody.Segment) throws(RequestError) -> [UInt8] {
        switch segment {
        case .bytes(let bytes):
            return Array(bytes.dropFirst(offset).prefix(count))
        case .file(let content):
            let part = try opened(content).read(at: offset, upTo: count)
            guard !part.isEmpty else { throw .fileChanged(path: content.path, announced: content.length) }
            return part
        }
    }

    private mutating func endSegment() throws(RequestError) {
        if case .file(let content) = segments[index] {
            guard try opened(content).read(at: content.length, upTo: 1).isEmpty else {
                throw .fileChanged(path: content.path, announced: content.length)
            }
        }
        file = nil
        index += 1
        offset = 0
    }

    private mutating func opened(_ content: FileContent) throws(RequestError) -> OpenFile {
        if let file { return file }
        let opened = try content.open()
        file = opened
        return opened
    }
}
