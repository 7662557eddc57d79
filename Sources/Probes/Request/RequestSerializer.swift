/// Builds requests after AFNetworking's AFHTTPRequestSerializer and its subclasses for JSON and property lists.
///
/// A serializer is a value: copies are independent, and one may be used by any number of checks.
public struct RequestSerializer: Sendable {
    /// How parameters are written into a body.
    public enum Format: String, Sendable, Hashable, CaseIterable {
        /// `application/x-www-form-urlencoded`; without parameters the body is empty and the type is set all the same.
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

    /// Writes parameters as a query or a form; what it throws is what ``serialize(_:to:)`` throws.
    public typealias QuerySerializer =
        @Sendable (_ parameters: ParameterValue, _ method: String) throws(RequestError) -> String

    /// How parameters are written into a body.
    public var format: Format
    /// The fields that are sent unless the request has them.
    public var headers: HeaderFields
    /// The credentials that are sent unless the request has others; nil sends none.
    public var credentials: BasicCredentials?
    /// The methods whose parameters go into the query; in upper case.
    public var methodsEncodingParametersInURI: Set<String> = ["GET", "HEAD", "DELETE"]
    /// What writes queries and forms; nil takes ``QueryString``.
    public var querySerializer: QuerySerializer?
    /// How long a check may take whose request does not say; nil leaves it to the check.
    public var timeoutInterval: Duration?
    /// Whether checks may leave through a cellular interface; nil leaves it to the request.
    public var allowsCellularAccess: Bool?

    /// Creates a serializer.
    ///
    /// - Parameters:
    ///   - format: How parameters are written into a body.
    ///   - headers: The fields to send; see ``standardHeaders(product:version:languages:)``.
    public init(format: Format = .form, headers: HeaderFields = HeaderFields()) {
        self.format = format
        self.headers = headers
    }

    /// The fields that a product sends by default: User-Agent, and Accept-Language when there are languages.
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
        // Both values are made of allowed characters only, so nothing is ever refused here.
        return (try? HeaderFields(fields.compactMap { $0 })) ?? HeaderFields()
    }

    /// Whether the parameters of a method go into the query.
    public func encodesParametersInURI(_ method: String) -> Bool {
        methodsEncodingParametersInURI.contains(method.uppercased())
    }

    /// Parameters as a query or a form.
    func queryText(_ parameters: ParameterValue, method: String) throws(RequestError) -> String {
        if let querySerializer { return try querySerializer(parameters, method) }
        return try QueryString.text(of: parameters)
    }
}
