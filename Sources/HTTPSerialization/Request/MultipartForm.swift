/// A `multipart/form-data` form (RFC 7578), whose files are read while they are sent.
public struct MultipartForm: Sendable {
    private struct Part: Sendable {
        let head: [UInt8]
        let content: RequestBody.Segment
        /// The name of a text field; nil for any other part.
        var fieldName: String?
    }

    /// The separator of the parts.
    public let boundary: String
    private var parts: [Part] = []

    /// Creates an empty form, with a boundary of 64 random bits.
    public init() {
        var generator = SystemRandomNumberGenerator()
        self.init(using: &generator)
    }

    /// Creates an empty form with a boundary from a random number generator.
    public init(using generator: inout some RandomNumberGenerator) {
        let halves = (0..<2).map { _ in
            let digits = String(UInt32.random(in: 0...UInt32.max, using: &generator), radix: 16, uppercase: true)
            return String(repeating: "0", count: 8 - digits.utf8.count) + digits
        }
        boundary = "Boundary+" + halves.joined()
    }

    /// `true` if there are no parts.
    public var isEmpty: Bool { parts.isEmpty }

    /// The value of the Content-Type field.
    public var contentType: String { "multipart/form-data; boundary=\(boundary)" }

    /// The exact size of the whole form in bytes; 0 without parts.
    public var length: Int { segments.reduce(0) { $0 + $1.length } }

    /// Appends a text field.
    ///
    /// - Throws: ``RequestError`` when the form becomes too long.
    public mutating func append(field name: String, value: String) throws(RequestError) {
        try append(disposition: Self.disposition(name, nil), mimeType: nil, content: .bytes(Array(value.utf8)))
        parts[parts.count - 1].fieldName = name
    }

    /// Appends bytes as a file.
    ///
    /// - Parameters:
    ///   - bytes: The content.
    ///   - name: The field's name.
    ///   - fileName: The file name to send.
    ///   - mimeType: The media type; nil derives it from the file name's extension.
    /// - Throws: ``RequestError`` when the media type is not allowed in a header or the form becomes too long.
    public mutating func append(
        bytes: [UInt8],
        name: String,
        fileName: String,
        mimeType: String? = nil
    ) throws(RequestError) {
        try append(
            disposition: Self.disposition(name, fileName),
            mimeType: mimeType ?? FileMediaType.forFile(named: fileName),
            content: .bytes(bytes)
        )
    }

    /// Appends a file, whose length is fixed by this call.
    ///
    /// - Parameters:
    ///   - path: The path of the file; a URL is not a path.
    ///   - name: The name of the part.
    ///   - fileName: The file name to send; nil takes the last component of the path.
    ///   - mimeType: The media type; nil derives it from the path's extension.
    /// - Throws: ``RequestError`` unless it is a regular file that can be opened.
    public mutating func append(
        file path: String,
        name: String,
        fileName: String? = nil,
        mimeType: String? = nil
    ) throws(RequestError) {
        let content = try FileContent(path: path)
        let lastComponent = path.split(separator: "/").last.map { String($0) } ?? path
        try append(
            disposition: Self.disposition(name, fileName ?? lastComponent),
            mimeType: mimeType ?? FileMediaType.forFile(named: lastComponent),
            content: .file(content)
        )
    }

    /// Appends a part with the caller's header.
    ///
    /// - Throws: ``RequestError`` when the form becomes too long.
    public mutating func append(headers: HeaderFields, bytes: [UInt8]) throws(RequestError) {
        try append(headers: headers, content: .bytes(bytes))
    }

    /// The text fields, in their order.
    var fields: [(name: String, value: String)] {
        parts.compactMap { part in
            guard let name = part.fieldName, case .bytes(let bytes) = part.content else { return nil }
            return (name, String(decoding: bytes, as: UTF8.self))
        }
    }

    /// The segments of the body, including delimiters.
    var segments: [RequestBody.Segment] {
        guard !parts.isEmpty else { return [] }
        var segments: [RequestBody.Segment] = []
        for (index, part) in parts.enumerated() {
            let delimiter = Array((index == 0 ? "--\(boundary)\r\n" : "\r\n--\(boundary)\r\n").utf8)
            segments.append(.bytes(delimiter + part.head))
            segments.append(part.content)
        }
        segments.append(.bytes(Array("\r\n--\(boundary)--\r\n".utf8)))
        return segments
    }

    /// Returns the same form with fields before its parts.
    func prepending(fields: [(name: String, value: String?)]) throws(RequestError) -> MultipartForm {
        var form = self
        form.parts = []
        for (name, value) in fields { try form.append(field: name, value: value ?? "") }
        form.parts += parts
        guard form.hasCountableLength else { throw .bodyTooLong }
        return form
    }

    private mutating func append(
        disposition: String,
        mimeType: String?,
        content: RequestBody.Segment
    ) throws(RequestError) {
        var headers = HeaderFields()
        try headers.set("Content-Disposition", disposition)
        try headers.set("Content-Type", mimeType)
        try append(headers: headers, content: content)
    }

    private mutating func append(headers: HeaderFields, content: RequestBody.Segment) throws(RequestError) {
        let head = headers.fields.map { "\($0.name): \($0.value)\r\n" }.joined() + "\r\n"
        parts.append(Part(head: Array(head.utf8), content: content))
        guard hasCountableLength else {
            parts.removeLast()
            throw .bodyTooLong
        }
    }

    /// `true` if the total length does not overflow; a sparse file can be 8 EiB long.
    private var hasCountableLength: Bool {
        var sum = 0
        for segment in segments {
            let (next, overflow) = sum.addingReportingOverflow(segment.length)
            if overflow { return false }
            sum = next
        }
        return true
    }

    private static func disposition(_ name: String, _ fileName: String?) -> String {
        let field = "form-data; name=\"\(escaped(name))\""
        return fileName.map { "\(field); filename=\"\(escaped($0))\"" } ?? field
    }

    /// Escapes a name for quotation marks by the rules of the HTML standard, and other control characters likewise.
    private static func escaped(_ name: String) -> String {
        var text = ""
        for scalar in name.unicodeScalars {
            if scalar.value < 0x20 || scalar.value == 0x7F || scalar == "\"" {
                let digits = String(scalar.value, radix: 16, uppercase: true)
                text += digits.utf8.count < 2 ? "%0\(digits)" : "%\(digits)"
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
