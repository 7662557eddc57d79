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
    private func queryText(_ parameters: ParameterValue, method: String) throws(RequestError) -> String {
        if let querySerializer { return try querySerializer(parameters, method) }
        return try QueryString.text(of: parameters)
    }
}

extension RequestSerializer {
    /// Fields that would contradict the framing of the message, or that belong to one connection (RFC 9113, section
    /// 8.2.2).
    private static let computedFields: Set<String> = [
        "connection", "content-length", "http2-settings", "keep-alive", "proxy-connection", "te", "trailer",
        "transfer-encoding", "upgrade",
    ]

    /// Builds the request for a URL.
    ///
    /// A field of the request overrides one of the serializer; Content-Type is set only if neither has it, except for a
    /// multipart form, whose type contains the boundary. The order of the fields is: Host, the serializer's, the
    /// request's, Authorization, Content-Type, Content-Length.
    /// - Throws: ``RequestError`` when something cannot be sent; nothing is left out silently.
    public func serialize(_ request: ProbeRequest, to url: HTTPURL) throws(RequestError) -> SerializedRequest {
        let method = request.method
        guard method.utf8.count <= 32, HTTPToken.isToken(method), method.uppercased() != "CONNECT" else {
            throw .invalidMethod(method)
        }
        let isInURI = encodesParametersInURI(method)
        var target = url
        if let query = request.query { target = try appending(query, to: target, method: method) }
        if isInURI, let parameters = request.parameters {
            target = try appending(parameters, to: target, method: method)
        }
        let content = try content(of: request, bodyParameters: isInURI ? nil : request.parameters, isInURI: isInURI)
        return SerializedRequest(
            method: method,
            url: target,
            headers: try header(of: request, url: target, content: content),
            body: content.body,
            timeoutInterval: request.timeoutInterval ?? timeoutInterval,
            allowsCellularAccess: request.allowsCellularAccess && allowsCellularAccess ?? true,
            secretFields: request.hiddenFields
        )
    }

    /// A body, its type, and whether that type overrides a given one.
    private struct Content {
        var body = RequestBody.none
        var type: String?
        var replacesType = false
    }

    private func appending(
        _ parameters: ParameterValue,
        to url: HTTPURL,
        method: String
    ) throws(RequestError) -> HTTPURL {
        let text = try queryText(parameters, method: method)
        guard !text.isEmpty else { return url }
        let existing = url.query ?? ""
        do throws(HTTPURLError) {
            return try url.replacingQuery(existing.isEmpty ? text : "\(existing)&\(text)")
        } catch {
            throw .url(error)
        }
    }

    private func content(
        of request: ProbeRequest,
        bodyParameters parameters: ParameterValue?,
        isInURI: Bool
    ) throws(RequestError) -> Content {
        switch request.body {
        case .bytes(let bytes, let type):
            guard parameters == nil else { throw .bodyAndParameters }
            return Content(body: .bytes(bytes), type: type)
        case .file(let file, let type):
            guard parameters == nil else { throw .bodyAndParameters }
            return Content(body: .file(file), type: type ?? FileMediaType.forFile(named: file.path))
        case .multipart(let form):
            guard !["GET", "HEAD"].contains(request.method.uppercased()) else {
                throw .multipartMethod(request.method)
            }
            let fields: [(name: String, value: String?)] =
                if let parameters { try QueryString.pairs(of: parameters) } else { [] }
            let whole = try form.prepending(fields: fields)
            guard !whole.isEmpty else { return try encoded(nil, method: request.method, isInURI: isInURI) }
            return Content(body: .multipart(whole), type: whole.contentType, replacesType: true)
        case nil:
            return try encoded(parameters, method: request.method, isInURI: isInURI)
        }
    }

    private func encoded(_ parameters: ParameterValue?, method: String, isInURI: Bool) throws(RequestError) -> Content {
        guard !isInURI else { return Content() }
        guard let parameters else {
            return format == .form ? Content(body: .bytes([]), type: format.contentType) : Content()
        }
        let bytes: [UInt8] =
            switch format {
            case .form: Array(try queryText(parameters, method: method).utf8)
            case .json: try parameters.json()
            case .propertyList: try parameters.propertyList()
            }
        return Content(body: .bytes(bytes), type: format.contentType)
    }

    private func header(
        of request: ProbeRequest,
        url: HTTPURL,
        content: Content
    ) throws(RequestError) -> [HeaderField] {
        var header = HeaderFields()
        try header.set("Host", url.authority)
        for field in headers.fields + request.headers.fields {
            guard !Self.computedFields.contains(field.name.lowercased()) else {
                throw .computedField(name: field.name)
            }
            if field.name.lowercased() == "host", !Self.isAuthority(field.value) {
                throw .invalidFieldValue(name: field.name)
            }
            try header.set(field.name, field.value)
        }
        if let credentials = request.credentials ?? credentials, header.value(of: "Authorization") == nil {
            try header.set("Authorization", credentials.authorization)
        }
        if let type = content.type, content.replacesType || header.value(of: "Content-Type") == nil {
            try header.set("Content-Type", type)
        }
        // RFC 9110, section 8.6: a method that usually has content announces its absence.
        let mayLackContent = ["GET", "HEAD", "DELETE", "OPTIONS", "TRACE"].contains(request.method.uppercased())
        if content.body.isPresent || !mayLackContent {
            try header.set("Content-Length", String(content.body.length))
        }
        return header.fields
    }

    private static func isAuthority(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                HTTPToken.isTokenByte(byte) || "[]:".utf8.contains(byte)
            }
    }
}
