package import CheckResults
internal import ForeignText
internal import Synchronization

/// The secrets of a request, those of its serializer included, to be removed from the response: a server may echo them.
///
/// They are detected as sent, with any of their characters escaped as in JSON, programming languages, URLs, HTML or
/// evidence, in base64 at any offset, and in hexadecimal digits, in any case. A prefix is enough, because texts are
/// truncated; secrets shorter than four bytes are ignored.
package struct KnownSecrets {
    private let matcher: SecretMatcher

    /// Collects the secrets of a request and its serializer: values of fields, parameters, fields of a multipart form
    /// and members of a JSON body with the names of secrets, credentials, and marked strings.
    package init(
        _ request: ProbeRequest,
        by serializer: RequestSerializer = RequestSerializer(),
        to url: HTTPURL? = nil
    ) {
        var values = Array(request.hiddenTexts)
        for credentials in [request.credentials, serializer.credentials].compactMap(\.self) {
            values += credentials.secrets
        }
        let fields = (request.headers.fields + serializer.headers.fields).filter {
            $0.isSecret || request.hiddenFields.contains($0.name.lowercased())
        }
        values += fields.map(\.value)
        for parameters in [request.query, request.parameters].compactMap(\.self) {
            parameters.collectSecrets(into: &values)
        }
        if let url { values += SecretName.values(inQueryOf: url.description) }
        switch request.body {
        case .bytes(let body, _): (try? JSONParser.parse(body))?.collectSecrets(into: &values)
        case .multipart(let form): values += form.fields.filter { Self.isSecret(field: $0.name) }.map(\.value)
        case .file, nil: break
        }
        // `Bearer abc` and `a=b; c=d` have their secrets after other words.
        for field in fields {
            values += field.value.split { " ;,=".contains($0) }.map(String.init).filter { $0.utf8.count >= 8 }
        }
        matcher = SecretMatcher(of: values)
    }

    /// `true` if there are no secrets to remove.
    package var isEmpty: Bool { matcher.isEmpty }

    /// Returns the text with a placeholder for each secret.
    package func removed(from text: String) -> String {
        let bytes = Array(text.utf8)
        let result = removed(from: bytes)
        return result.count == bytes.count && result == bytes ? text : String(decoding: result, as: UTF8.self)
    }

    /// Returns the bytes with a placeholder for each secret; at the end of truncated bytes a prefix of one counts too.
    package func removed(from bytes: [UInt8], isCut: Bool = false) -> [UInt8] {
        matcher.replaced(in: bytes, by: SecretName.placeholder, isCut: isCut)
    }

    /// Returns whether a part of a nested name, as in `user[password]`, is the name of a secret.
    private static func isSecret(field name: String) -> Bool {
        name.split { $0 == "[" || $0 == "]" }.contains { SecretName.isSecret(String($0)) }
    }
}

/// The secrets of one request and its serializer, computed once: at the end of the first check with them.
package final class ProbeSecrets: Sendable {
    private let request: ProbeRequest
    private let serializer: RequestSerializer
    private let url: HTTPURL?
    private let found = Mutex<KnownSecrets?>(nil)

    package init(_ request: ProbeRequest, by serializer: RequestSerializer, to url: HTTPURL? = nil) {
        (self.request, self.serializer, self.url) = (request, serializer, url)
    }

    /// The secrets.
    package var known: KnownSecrets {
        found.withLock { found in
            let known = found ?? KnownSecrets(request, by: serializer, to: url)
            found = known
            return known
        }
    }
}

extension KnownSecrets {
    /// Returns the report without the secrets that the server has echoed; with them in the bodies, if these are excepted.
    package func removed(from report: CheckReport, exceptBodies: Bool = false) -> CheckReport {
        guard !isEmpty else { return report }
        var report = report
        report.findings = report.findings.map { finding in
            var shown = Finding(
                finding.code,
                finding.severity,
                subject: removed(from: finding.subject),
                evidence: removed(from: finding.evidence)
            )
            shown.isFromTarget = finding.isFromTarget
            return shown
        }
        report.hops = report.hops.map { hop in
            var hop = hop
            hop.url = removed(from: hop.url)
            guard var response = hop.response else { return hop }
            let isCut = (response.body?.count ?? 0) < (response.decodedBodyBytes ?? response.bodyBytes)
            response.headers = response.headers.map { HeaderField(name: $0.name, value: removed(from: $0.value)) }
            if !exceptBodies { response.body = response.body.map { removed(from: $0, isCut: isCut) } }
            hop.response = response
            return hop
        }
        return report
    }
}

extension JSONValue {
    /// Collects the values with the names of secrets, at any depth.
    fileprivate func collectSecrets(into values: inout [String], _ isSecret: Bool = false) {
        switch self {
        case .object(let members):
            for (name, value) in members {
                value.collectSecrets(into: &values, isSecret || SecretName.isSecret("\(name)"))
            }
        case .array(let elements): for value in elements { value.collectSecrets(into: &values, isSecret) }
        case .string(let text): if isSecret { values.append(String(decoding: text.bytes, as: UTF8.self)) }
        case .number(let number): if isSecret { values.append(number.text) }
        case .bool, .null: break
        }
    }
}

extension ParameterValue {
    /// Collects the values with the names of secrets, at any depth.
    fileprivate func collectSecrets(into values: inout [String], _ isSecret: Bool = false) {
        switch self {
        case .dictionary(let members):
            for (name, value) in members { value.collectSecrets(into: &values, isSecret || SecretName.isSecret(name)) }
        case .array(let members), .repeated(let members):
            for value in members { value.collectSecrets(into: &values, isSecret) }
        case .set(let members): for value in members { value.collectSecrets(into: &values, isSecret) }
        case .string, .integer, .number, .bool, .null: if isSecret { values.append(text) }
        }
    }

    /// The value with a placeholder for each secret in it.
    package var withoutSecrets: ParameterValue {
        switch self {
        case .dictionary(let members):
            .dictionary(
                Dictionary(
                    uniqueKeysWithValues: members.map { name, value in
                        (name, SecretName.isSecret(name) ? .string(SecretName.placeholder) : value.withoutSecrets)
                    }
                )
            )
        case .array(let members): .array(members.map(\.withoutSecrets))
        case .repeated(let members): .repeated(members.map(\.withoutSecrets))
        case .set(let members): .set(Set(members.map(\.withoutSecrets)))
        case .string, .integer, .number, .bool, .null: self
        }
    }
}
