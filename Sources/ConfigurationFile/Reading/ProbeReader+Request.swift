internal import Probes

/// What is sent, and what must come back.
extension ProbeReader {
    private static let mostSecretBytes = 16 << 10

    mutating func readRequest(into request: inout ProbeRequest) {
        readHeaders(into: &request)
        request.query = readParameters("query")
        if let path = table.read("basic_auth_file", .path) {
            do throws(RequestError) {
                request.credentials = try BasicCredentials(file: path)
                table.amend("basic_auth_file", material.digest(ofFile: path))
            } catch {
                table.report("basic_auth_file", error.description)
            }
        }
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
        let hash = { (text: String) in RegularFile.digest(Array(text.utf8)) }
        if let json = table.readHidden("json_body", .string(1...SourceText.mostBytes), shown: hash) {
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
        let form = Form<ParameterValue>.parameter.table(atMost: 128)
        let values: [String: ParameterValue]?
        if isHidden {
            values = table.readHidden(key, form) { RegularFile.digest(Array(form.text($0).utf8)) }
        } else {
            values = table.read(key, form)
        }
        guard let values, !values.isEmpty else { return nil }
        return .dictionary(values)
    }

    private mutating func readHeaders(into request: inout ProbeRequest) {
        let most = HeaderFields.maximumCount
        let names = Form<String>.string(0...8192).table(atMost: most) { name in
            let isSecret = HeaderField(name: name, value: "").isSecret
            return isSecret
                ? "is a secret: write it to a file, and name that in 'header_files'" : Self.flaw(ofField: name)
        }
        let files = Form<String>.path.table(atMost: most, flaw: Self.flaw)
        for (name, value) in (table.read("headers", names) ?? [:]).sorted(by: { $0.key < $1.key }) {
            set(name, value, from: "headers", in: &request.headers)
        }
        for (name, path) in (table.read("header_files", files) ?? [:]).sorted(by: { $0.key < $1.key }) {
            do throws(RegularFile.Failure) {
                let bytes = try RegularFile.bytes(of: path, atMost: Self.mostSecretBytes, isSecret: true)
                let line = bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
                guard let value = String(validating: line, as: UTF8.self), !value.isEmpty else {
                    throw RegularFile.Failure(description: "holds no text in its first line")
                }
                set(name, value, from: "header_files", in: &request.headers)
                table.amend("header_files", RegularFile.digest(bytes))
            } catch {
                table.report("header_files", "\(path) \(error)")
            }
        }
    }

    private static func flaw(ofField name: String) -> String? {
        var fields = HeaderFields()
        do throws(RequestError) {
            try fields.set(name, "")
            return nil
        } catch {
            return error.description
        }
    }

    private func set(_ name: String, _ value: String, from key: String, in headers: inout HeaderFields) {
        guard headers.value(of: name) == nil else {
            return table.report(key, "the header field '\(name)' is given twice")
        }
        do throws(RequestError) {
            try headers.set(name, value)
        } catch {
            table.report(key, error.description)
        }
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
