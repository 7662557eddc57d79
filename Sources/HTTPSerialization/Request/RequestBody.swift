/// The body of a request: nothing, bytes, a file, or a multipart form.
///
/// Files are streamed; their lengths are fixed when the body is created, and a file with another length when it is sent
/// is an error.
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
