/// The body of a request: nothing, bytes, a file, or a multipart form.
///
/// Files are streamed; their lengths are fixed when the body is created, and a different length during sending is an
/// error.
public enum RequestBody: Sendable {
    /// No content.
    case none
    /// Bytes; an empty array is content of length 0.
    case bytes([UInt8])
    /// A file.
    case file(FileContent)
    /// A `multipart/form-data` form.
    case multipart(MultipartForm)

    /// One segment of a body.
    enum Segment: Sendable {
        case bytes([UInt8])
        case file(FileContent)

        var length: Int {
            switch self {
            case .bytes(let bytes): bytes.count
            case .file(let content): content.length
            }
        }
    }

    /// The exact number of bytes that a reader returns.
    public var length: Int {
        switch self {
        case .none: 0
        case .bytes(let bytes): bytes.count
        case .file(let content): content.length
        case .multipart(let form): form.length
        }
    }

    /// `true` if there is content, even of length 0.
    public var isPresent: Bool {
        if case .none = self { false } else { true }
    }

    /// `true` if reading the body may block, because a file is part of it.
    package var hasFiles: Bool {
        switch self {
        case .none, .bytes: false
        case .file: true
        case .multipart(let form): form.segments.contains { if case .file = $0 { true } else { false } }
        }
    }

    /// Returns a reader at the first byte; may be called any number of times.
    ///
    /// - Throws: ``RequestError`` when a file cannot be opened or its length has changed.
    public func makeReader() throws(RequestError) -> RequestBodyReader {
        switch self {
        case .none: try RequestBodyReader(segments: [])
        case .bytes(let bytes): try RequestBodyReader(segments: [.bytes(bytes)])
        case .file(let content): try RequestBodyReader(segments: [.file(content)])
        case .multipart(let form): try RequestBodyReader(segments: form.segments)
        }
    }
}

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

    /// Creates a reader and opens every file once, so that a missing one is detected before the first byte is sent.
    init(segments: [RequestBody.Segment]) throws(RequestError) {
        self.segments = segments
        for case .file(let content) in segments { _ = try content.open() }
    }

    /// Returns the next bytes, at most `count` and at least one; none at the end.
    ///
    /// As many bytes are returned as requested, up to ``maximumCount``, except for the last call.
    /// - Throws: ``RequestError/fileChanged(path:announced:)`` when a file grew or shrank since its length was
    ///   announced, ``RequestError/file(path:reason:)`` when it cannot be read, ``RequestError/shortage(path:reason:)`` for
    ///   lack of descriptors or memory.
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

/// A file to send, and its announced length.
public struct FileContent: Sendable, Hashable {
    /// The path of the file.
    public let path: String
    /// The length of the file when the value was created, in bytes.
    public let length: Int

    /// Opens a file and records its length.
    ///
    /// - Throws: ``RequestError/file(path:reason:)`` unless it is a regular file that can be opened,
    ///   ``RequestError/shortage(path:reason:)`` for lack of descriptors or memory.
    public init(path: String) throws(RequestError) {
        self.path = path
        length = try OpenFile(path: path).length
    }

    /// Opens the file again.
    ///
    /// - Throws: ``RequestError`` when it cannot be opened or its length has changed.
    func open() throws(RequestError) -> OpenFile {
        let file = try OpenFile(path: path)
        guard file.length == length else { throw .fileChanged(path: path, announced: length) }
        return file
    }
}

/// Media types by file name extension.
enum FileMediaType {
    /// The media type of unknown content.
    static let unknown = "application/octet-stream"

    /// Returns the media type of a file; ``unknown`` for an extension that is not in the table.
    static func forFile(named name: String) -> String {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count > 1, let last = parts.last else { return unknown }
        return types[last.lowercased()] ?? unknown
    }

    private static let types = [
        "bin": "application/octet-stream",
        "cer": "application/x-x509-ca-cert",
        "crl": "application/pkix-crl",
        "crt": "application/x-x509-ca-cert",
        "css": "text/css",
        "csv": "text/csv",
        "der": "application/x-x509-ca-cert",
        "gif": "image/gif",
        "gz": "application/gzip",
        "htm": "text/html",
        "html": "text/html",
        "jpeg": "image/jpeg",
        "jpg": "image/jpeg",
        "js": "text/javascript",
        "json": "application/json",
        "log": "text/plain",
        "pdf": "application/pdf",
        "pem": "application/x-pem-file",
        "plist": "application/x-plist",
        "png": "image/png",
        "svg": "image/svg+xml",
        "tar": "application/x-tar",
        "txt": "text/plain",
        "webp": "image/webp",
        "xml": "application/xml",
        "yaml": "application/yaml",
        "yml": "application/yaml",
        "zip": "application/zip",
    ]
}
