/// The request that a caller wants to send: the input of ``RequestSerializer``.
///
/// Text is sent in UTF-8.
public struct ProbeRequest: Sendable {
    /// A body that does not come from ``ProbeRequest/parameters``.
    public enum Body: Sendable {
        /// Bytes; the Content-Type field is set to the type unless the header has one.
        case bytes([UInt8], contentType: String? = nil)
        /// A file; without a type the file name's extension determines it.
        case file(FileContent, contentType: String? = nil)
        /// A multipart form; parameters become fields before its parts.
        case multipart(MultipartForm)

        /// Returns a body of JSON: compact, with the members in the order of their names' bytes.
        ///
        /// - Throws: ``RequestError/notJSON(field:reason:)`` for a value that JSON cannot represent.
        public static func json(_ value: ParameterValue) throws(RequestError) -> Body {
            .bytes(try value.json(), contentType: RequestSerializer.Format.json.contentType)
        }
    }

    /// The method: a token, sent unchanged.
    public var method: String
    /// The header fields, which override the serializer's.
    public var headers: HeaderFields
    /// The parameters of the query, for any method.
    public var query: ParameterValue?
    /// The parameters of the body, or of the query with GET, HEAD and DELETE.
    public var parameters: ParameterValue?
    /// The body, if not from parameters.
    public var body: Body?
    /// The credentials, which override the serializer's; an Authorization field in the header overrides both.
    public var credentials: BasicCredentials?
    /// The timeout of the whole check; nil for the serializer's.
    public var timeoutInterval: Duration?
    /// `true` if the check may leave through a cellular interface; a serializer can forbid it too.
    public var allowsCellularAccess: Bool

    /// Strings in the request that no report shows, besides the values of fields and parameters with the names of
    /// secrets.
    package var hiddenTexts: Set<String> = []
    /// The field names, in lower case, whose values are always secrets.
    package var hiddenFields: Set<String> = []

    /// Creates a request.
    public init(
        method: String = "GET",
        headers: HeaderFields = HeaderFields(),
        query: ParameterValue? = nil,
        parameters: ParameterValue? = nil,
        body: Body? = nil,
        credentials: BasicCredentials? = nil,
        timeoutInterval: Duration? = nil,
        allowsCellularAccess: Bool = true
    ) {
        self.method = method
        self.headers = headers
        self.query = query
        self.parameters = parameters
        self.body = body
        self.credentials = credentials
        self.timeoutInterval = timeoutInterval
        self.allowsCellularAccess = allowsCellularAccess
    }
}
