internal import ArgumentParser
internal import Glibc
internal import Probes

/// What a check sends, and how.
struct RequestOptions: ParsableArguments {
    @Option(
        name: .customLong("method"),
        help: "The method (default: GET; POST when there is a body).",
        completion: .list(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
    )
    var method: String?

    // Parsed by us: a transform's error message would repeat the argument, which may be a secret.
    @Option(
        name: .customLong("header"),
        help: ArgumentHelp("A header field; wins over one of our own (repeatable).", valueName: "name: value")
    )
    var headerLines: [String] = []

    @Option(
        name: .customLong("query"),
        help: ArgumentHelp("A parameter to add to the URL's query (repeatable).", valueName: "name=value"),
        transform: Arguments.parameter
    )
    var query: [Parameter] = []

    @Option(
        name: .customLong("form"),
        help: ArgumentHelp("A parameter of a form in the body (repeatable).", valueName: "name=value"),
        transform: Arguments.parameter
    )
    var form: [Parameter] = []

    @Option(
        name: .customLong("form-file"),
        help: ArgumentHelp("A file in a form of several parts (repeatable).", valueName: "name=file"),
        transform: Arguments.parameter
    )
    var formFiles: [Parameter] = []

    @Option(help: ArgumentHelp("A body in JSON, sent as it is.", valueName: "json"))
    var jsonBody: String?

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
        let bodies = [jsonBody != nil, bodyFile != nil, !form.isEmpty || !formFiles.isEmpty].filter(\.self).count
        guard bodies <= 1 else {
            throw ValidationError("only one of '--json-body', '--body-file' and '--form' can be the body")
        }
        _ = try headers()
    }

    /// The names of the options that were given.
    var given: [String] {
        let options = [
            ("--method", method != nil), ("--header", !headerLines.isEmpty), ("--query", !query.isEmpty),
            ("--form", !form.isEmpty), ("--form-file", !formFiles.isEmpty), ("--json-body", jsonBody != nil),
            ("--body-file", bodyFile != nil), ("--basic-auth-file", basicAuthFile != nil),
            ("--print-request", printRequest),
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
        let hasBody = jsonBody != nil || bodyFile != nil || !form.isEmpty || !formFiles.isEmpty
        var request = ProbeRequest(method: method ?? (hasBody ? "POST" : "GET"))
        request.allowsCellularAccess = allowsCellularAccess
        request.headers = try headers()
        request.query = Self.value(query)
        request.parameters = Self.value(form)
        if let basicAuthFile { request.credentials = try BasicCredentials(file: basicAuthFile) }
        if let jsonBody {
            request.body = .bytes(Array(jsonBody.utf8), contentType: RequestSerializer.Format.json.contentType)
        }
        if let bodyFile { request.body = .file(try FileContent(path: bodyFile)) }
        if !formFiles.isEmpty {
            var multipart = MultipartForm()
            for parameter in form { try multipart.append(field: parameter.name, value: parameter.value) }
            for file in formFiles { try multipart.append(file: file.value, name: file.name) }
            request.parameters = nil
            request.body = .multipart(multipart)
        }
        return request
    }

    /// The serializer with the headers that every request of ours has.
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

    /// Parameters of one name are repeated, as a browser's form would.
    private static func value(_ parameters: [Parameter]) -> ParameterValue? {
        guard !parameters.isEmpty else { return nil }
        let groups = Dictionary(grouping: parameters, by: \.name)
        return .dictionary(
            groups.mapValues { group in
                group.count == 1 ? .string(group[0].value) : .set(Set(group.map { .string($0.value) }))
            }
        )
    }
}

/// A name and a value, as `NAME=VALUE` on the command line.
struct Parameter: Hashable {
    let name: String
    let value: String
}
