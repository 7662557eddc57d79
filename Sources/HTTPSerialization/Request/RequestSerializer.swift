internal import CheckResults

/// Builds requests like AFNetworking's AFHTTPRequestSerializer and its subclasses for JSON and property lists.
///
/// A serializer is a value: copies are independent, and one may be used by any number of checks.
public struct RequestSerializer: Sendable {
    /// The format of parameters in a body.
    public enum Format: String, Sendable, Hashable, CaseIterable {
        /// `application/x-www-form-urlencoded`; without parameters the body is empty and the type is still set.
        case form
        /// Compact JSON with sorted names; without parameters there is no body.
        case json
        /// A property list in XML; without parameters there is no body.
        case propertyList = "property-list"

        /// The value of the Content-Type field.
        public var contentType: String {
            switch self {
            case .form: "application/x-www-form-urlencoded"
            case .json: "application/json"
            case .propertyList: "application/x-plist"
            }
        }
    }

    /// Writes parameters as a query or a form; ``serialize(_:to:)`` rethrows its errors.
    public typealias QuerySerializer =
        @Sendable (_ parameters: ParameterValue, _ method: String) throws(RequestError) -> String

    /// The format of parameters in a body.
    public var format: Format
    /// The default header fields, which the request overrides.
    public var headers: HeaderFields
    /// The default credentials, which the request overrides; nil sends none.
    public var credentials: BasicCredentials?
    /// The methods whose parameters go into the query; in upper case.
    public var methodsEncodingParametersInURI: Set<String> = ["GET", "HEAD", "DELETE"]
    /// The serializer of queries and forms; nil for ``QueryString``.
    public var querySerializer: QuerySerializer?
    /// The default timeout of a check; nil leaves it to the check.
    public var timeoutInterval: Duration?
    /// `true` if checks may leave through a cellular interface; nil leaves it to the request.
    public var allowsCellularAccess: Bool?

    /// Creates a serializer.
    ///
    /// - Parameters:
    ///   - format: The format of parameters in a body.
    ///   - headers: The fields to send; see ``standardHeaders(product:version:languages:)``.
    public init(format: Format = .form, headers: HeaderFields = HeaderFields()) {
        self.format = format
        self.headers = headers
    }

    /// Returns the default fields of a product: User-Agent, and Accept-Language when there are languages.
    ///
    /// - Parameters:
    ///   - product: The product's name; see ``UserAgent``.
    ///   - version: The product's version.
    ///   - languages: The preferred languages; see ``AcceptLanguage``.
    public static func standardHeaders(product: String, version: String, languages: [String] = []) -> HeaderFields {
        let fields = [
            HeaderField(name: "User-Agent", value: UserAgent.value(product: product, version: version)),
            AcceptLanguage.value(of: languages).map { HeaderField(name: "Accept-Language", value: $0) },
        ]
        // Both values consist of allowed characters, so the initializer never throws here.
        return (try? HeaderFields(fields.compactMap { $0 })) ?? HeaderFields()
    }

    /// Returns whether the parameters of a method go into the query.
    public func encodesParametersInURI(_ method: String) -> Bool {
        methodsEncodingParametersInURI.contains(method.uppercased())
    }

    /// Returns parameters as a query or a form.
    func queryText(_ parameters: ParameterValue, method: String) throws(RequestError) -> String {
        if let querySerializer { return try querySerializer(parameters, method) }
        return try QueryString.text(of: parameters)
    }
}
