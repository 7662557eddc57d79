/// What follows a request's head: nothing, bytes, a file, or the parts of a form.
///
/// Files are never read as a whole; their lengths are fixed when the body is made, and a file that has another length
/// when it is sent is an error.
public enum RequestBody: Sendable {
    /// No content.
    case none
    /// These bytes; an empty array is content of length 0.
    case bytes([UInt8])
    /// A file's bytes.
    case file(FileContent)
    /// A `multipart/form-data` form.
    case multipart(MultipartForm)

    /// One stretch of a body.
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

    /// Whether there is content, be it of length 0.
    public var isPresent: Bool {
        if case .none = self { false } else { true }
    }

    /// Begins to read from the first byte; may be done any number of times.
    ///
    /// - Throws: ``RequestError`` when a file cannot be opened or does not have the length any more that it had.
    public func makeReader() throws(RequestError) -> RequestBodyReader {
        switch self {
        case .none: try RequestBodyReader(segments: [])
        case .bytes(let bytes): try RequestBodyReader(segments: [.bytes(bytes)])
        case .file(let content): try RequestBodyReader(segments: [.file(content)])
        case .multipart(let form): try RequestBodyReader(segments: form.segments)
        }
    }
}
