/// What a caller wants to be sent: the input of ``RequestSerializer``.
///
/// Text is sent in UTF-8.
public struct ProbeRequest: Sendable {
    /// A body that is not made of ``ProbeRequest/parameters``.
    public enum Body: Sendable {
        /// These bytes; the Content-Type field is set to the type unless the header has one.
        case bytes([UInt8], contentType: String? = nil)
        /// A file's bytes; without a type the file name's extension decides.
        case file(FileContent, contentType: String? = nil)
        /// A form of several parts; parameters become fields before its parts.
        case multipart(MultipartForm)

        /// An object or an array in JSON: compact, with the members in the order of their names' bytes.
        ///
        /// - Throws: ``RequestError/notJSON(field:reason:)`` for a value that JSON does not have.
        public static func json(_ value: ParameterValue) throws(RequestError) -> Body {
            .bytes(try value.json(), contentType: RequestSerializer.Format.json.contentType)
        }
    }

    /// The method: a token, sent as it is.
    public var method: String
    /// The fields that win over the serializer's.
    public var headers: HeaderFields
    /// Parameters for the query, whatever the method is.
    public var query: ParameterValue?
    /// Parameters for the body, or for the query with GET, HEAD and DELETE.
    public var parameters: ParameterValue?
    /// A body of its own.
    public var body: Body?
    /// Credentials that win over the serializer's; an Authorization field in the header wins over both.
    public var credentials: BasicCredentials?
    /// How long the whole check may take; nil leaves it to the serializer.
    public var timeoutInterval: Duration?
    /// Whether the check may leave through a cellular interface; a serializer can forbid it too.
    public var allowsCellularAccess: Bool

    /// Texts in the request that no report shows, besides the values of fields and parameters whose names say so.
    package var hiddenTexts: Set<String> = []
    /// The fields, in lower case, whose values are secrets whatever their names are.
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
