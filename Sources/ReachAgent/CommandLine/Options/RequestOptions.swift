internal import ArgumentParser
internal import Glibc
internal import Probes

/// The request of a check.
struct RequestOptions: ParsableArguments {
    @Option(
        name: .customLong("method"),
        help: "The method (default: GET; POST when there is a body).",
        completion: .list(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
    )
    var method: String?

    // Parsed here: a transform's error message would repeat the argument, which may be a secret.
    @Option(
        name: .customLong("header"),
        help: ArgumentHelp("A header field; overrides a default one (repeatable).", valueName: "name: value")
    )
    var headerLines: [String] = []

    // These are parsed here for the same reason.
    @Option(
        name: .customLong("query"),
        help: ArgumentHelp(
            """
            A parameter to add to the URL's query: 'name=value', 'name' alone, an element 'name[]=value' or a member \
            'name[member]=value' (repeatable).
            """,
            valueName: "name=value"
        )
    )
    var query: [String] = []

    @Option(
        name: .customLong("form"),
        help: ArgumentHelp("A parameter of a form in the body; as --query (repeatable).", valueName: "name=value")
    )
    var form: [String] = []

    @Option(
        name: .customLong("form-file"),
        help: ArgumentHelp("A file in a form of several parts (repeatable).", valueName: "name=file"),
        transform: Arguments.parameter
    )
    var formFiles: [Parameter] = []

    @Option(help: ArgumentHelp("A body in JSON, sent as it is.", valueName: "json"))
    var jsonBody: String?

    @Option(
        name: .customLong("json-field"),
        help: ArgumentHelp(
            "A member of an object in JSON, the body: 'name=text' or 'name:=json', nested as --query (repeatable).",
            valueName: "name=value"
        )
    )
    var jsonFields: [String] = []

    @Option(help: ArgumentHelp("A file to send as the body.", valueName: "file"), completion: .file())
    var bodyFile: String?

    @Option(
        help: ArgumentHelp("A file with one line USER:PASSWORD for basic authorization.", valueName: "file"),
        completion: .file()
    )
    var basicAuthFile: String?

    @Flag(help: "Show the exact request that would be sent, and send nothing.")
    var printRequest = false

    func validate() throws {
        let bodies = [jsonBody != nil, !jsonFields.isEmpty, bodyFile != nil, !form.isEmpty || !formFiles.isEmpty]
        guard bodies.filter(\.self).count <= 1 else {
            throw ValidationError(
                "only one of '--json-body', '--json-field', '--body-file' and '--form' can be the body"
            )
        }
        _ = try headers()
        do throws(RequestError) {
            for texts in [query, form] { _ = try ParameterText.parameters(texts, for: .query) }
            _ = try ParameterText.parameters(jsonFields, for: .json)
        } catch {
            throw ValidationError(error.description)
        }
    }

    /// The names of the options that were given.
    var given: [String] {
        let options = [
            ("--method", method != nil), ("--header", !headerLines.isEmpty), ("--query", !query.isEmpty),
            ("--form", !form.isEmpty), ("--form-file", !formFiles.isEmpty), ("--json-body", jsonBody != nil),
            ("--json-field", !jsonFields.isEmpty), ("--body-file", bodyFile != nil),
            ("--basic-auth-file", basicAuthFile != nil),
        ]
        return options.filter(\.1).map(\.0)
    }

    private func headers() throws -> HeaderFields {
        do {
            return try HeaderFields(headerLines.map(Arguments.headerField))
        } catch let error as RequestError {
            throw ValidationError(error.description)
        }
    }

    /// The request as the library takes it.
    ///
    /// - Throws: ``RequestError`` when a file cannot be read or a value cannot be sent.
    func request(allowsCellularAccess: Bool) throws -> ProbeRequest {
        let hasBody =
            jsonBody != nil || !jsonFields.isEmpty || bodyFile != nil || !form.isEmpty || !formFiles.isEmpty
        var request = ProbeRequest(method: method ?? (hasBody ? "POST" : "GET"))
        request.allowsCellularAccess = allowsCellularAccess
        request.headers = try headers()
        if !query.isEmpty { request.query = try ParameterText.parameters(query, for: .query) }
        if !form.isEmpty { request.parameters = try ParameterText.parameters(form, for: .query) }
        if let basicAuthFile { request.credentials = try BasicCredentials(file: basicAuthFile) }
        if let jsonBody {
            request.body = .bytes(Array(jsonBody.utf8), contentType: RequestSerializer.Format.json.contentType)
        }
        if !jsonFields.isEmpty { request.body = try .json(ParameterText.parameters(jsonFields, for: .json)) }
        if let bodyFile { request.body = .file(try FileContent(path: bodyFile)) }
        if !formFiles.isEmpty {
            var multipart = MultipartForm()
            for text in form {
                let (name, value) = try ParameterText.pair(text)
                try multipart.append(field: name, value: value ?? "")
            }
            for file in formFiles { try multipart.append(file: file.value, name: file.name) }
            request.parameters = nil
            request.body = .multipart(multipart)
        }
        return request
    }

    /// The serializer with the headers that every request of the agent has.
    static func serializer() -> RequestSerializer {
        let names = ["LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"]
        let environment = names.compactMap { name in getenv(name).map { (name, String(cString: $0)) } }
        let languages = AcceptLanguage.languages(environment: Dictionary(uniqueKeysWithValues: environment))
        return RequestSerializer(
            headers: RequestSerializer.standardHeaders(
                product: "reachagent",
                version: Agent.version,
                languages: languages
            )
        )
    }
}

/// A name and a value, as `NAME=VALUE` on the command line.
struct Parameter: Hashable {
    let name: String
    let value: String
}
