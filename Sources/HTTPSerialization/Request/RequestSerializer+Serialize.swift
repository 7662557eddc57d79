internal import CheckResults

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
            allowsCellularAccess: request.allowsCellularAccess && allowsCellularAccess ?? true
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
