internal import Probes

/// What is sent, and what must come back.
extension ProbeReader {
    mutating func readRequest(into request: inout ProbeRequest) {
        readHeaders(into: &request)
        request.query = readParameters("query")
        readCredentials(into: &request)
        guard !isPortalCheck else { return }
        readBody(into: &request)
        let hasBody = request.body != nil || request.parameters != nil
        request.method = table.read("method", .string(1...32), default: hasBody ? "POST" : "GET")
    }

    private mutating func readBody(into request: inout ProbeRequest) {
        let given = ["json_body", "body_file", "form"].filter(table.has)
        if given.count > 1, let last = given.last {
            table.report(last, "only one of 'json_body', 'body_file' and 'form' can be the body")
        }
        request.parameters = readParameters("form", isHidden: true)
        if let json = table.readGuarded("json_body", .jsonBody, isDigested: true, shown: SecretText.shown(json:)) {
            request.body = .bytes(Array(json.utf8), contentType: RequestSerializer.Format.json.contentType)
        }
        if let path = table.read("body_file", .path) {
            do throws(RequestError) {
                request.body = .file(try FileContent(path: path))
                table.amend("body_file", material.digest(ofFile: path))
            } catch {
                table.report("body_file", error.description)
            }
        }
    }

    private mutating func readParameters(_ key: String, isHidden: Bool = false) -> ParameterValue? {
        let form = Form<ParameterValue>.parameters
        let value = table.readGuarded(key, form, isDigested: isHidden) { form.text($0.withoutSecrets) }
        return value == .dictionary([:]) ? nil : value
    }

    mutating func readExpectations() -> (ResponseExpectations, ProbeLimits) {
        let most = table.read("max_body_bytes", .size(0...(1 << 30)), default: 1 << 20)
        let limits = ProbeLimits(bodyBytes: most, inflatedBodyBytes: most)
        let texts = table.read("expect_body_contains", Form<String>.string(1...4096).list(0...64), default: [])
        let patterns = table.read("expect_body_matches", Form<BodyPattern>.pattern.list(0...64), default: [])
        let body: [BodyExpectation] = texts.map { .contains($0) } + patterns.map { .matches($0) }
        guard !isPortalCheck else { return (ResponseExpectations(bodyExpectations: body), limits) }
        let codes = table.read("expect_status", .statusCodes, default: .success)
        let types = table.read("expect_content_type", Form<String>.string(1...255).list(1...64))
        let serializer = table.read("expect_format", Form<BodyFormat>.choice)?.serializer ?? .http
        let members = table.read("expect_json", Form<JSONExpectation>.member.list(0...64), default: [])
        let expectations = ResponseExpectations(
            acceptableStatusCodes: codes,
            acceptableContentTypes: types.map { Set($0.map { $0.lowercased() }) } ?? serializer.contentTypes,
            serializer: serializer,
            bodyExpectations: body + members.map { .json($0) }
        )
        return (expectations, limits)
    }

    /// The formats that a body can be asked to have.
    private enum BodyFormat: String, CaseIterable {
        case json, xml, image
        case propertyList = "property-list"

        var serializer: ResponseSerializer {
            switch self {
            case .json: .json()
            case .xml: .xml
            case .image: .image
            case .propertyList: .propertyList
            }
        }
    }
}
