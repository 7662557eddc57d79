package import CheckResults
package import ForeignText

/// The expectations of a response, all of which a successful check meets.
///
/// The rules are those of AFNetworking's `AFURLResponseSerialization`, plus expectations of the body. A value is
/// immutable configuration: it may be shared by any number of checks.
public struct ResponseExpectations: Sendable, Hashable {
    /// The accepted status codes.
    public var acceptableStatusCodes: StatusCodes
    /// The accepted media types without parameters, ignoring case; nil accepts any.
    public var acceptableContentTypes: Set<String>?
    /// The serializer that decodes the body.
    public var serializer: ResponseSerializer
    /// The expectations of the body, in the order of their evaluation.
    public var bodyExpectations: [BodyExpectation]

    /// Creates expectations that accept the content types of the serializer.
    public init(
        acceptableStatusCodes: StatusCodes = .success,
        serializer: ResponseSerializer = .http,
        bodyExpectations: [BodyExpectation] = []
    ) {
        self.init(
            acceptableStatusCodes: acceptableStatusCodes,
            acceptableContentTypes: serializer.contentTypes,
            serializer: serializer,
            bodyExpectations: bodyExpectations
        )
    }

    /// Creates expectations with other content types; nil accepts any.
    public init(
        acceptableStatusCodes: StatusCodes = .success,
        acceptableContentTypes: Set<String>?,
        serializer: ResponseSerializer = .http,
        bodyExpectations: [BodyExpectation] = []
    ) {
        self.acceptableStatusCodes = acceptableStatusCodes
        self.acceptableContentTypes = acceptableContentTypes
        self.serializer = serializer
        self.bodyExpectations = bodyExpectations
    }
}

extension ResponseExpectations {
    /// Evaluates a response, and decodes its body.
    ///
    /// The rules are AFNetworking's: a refused content type prevents the decoding of the body, a refused status does
    /// not. The body expectations are evaluated unless the content type is refused. Differences: the status stays the
    /// outermost refusal when the body cannot be decoded either, and a refused content type with an empty body has a
    /// cause. Decoding and matching run on the calling thread, in time proportional to the body; a pattern that takes
    /// longer than a second is aborted.
    public func evaluate(_ response: ReceivedResponse) -> ResponseVerdict {
        evaluate(response, within: .unlimited())
    }

    /// Evaluates a response like ``evaluate(_:)``, within a budget; exceeding it is a refusal.
    package func evaluate(_ response: ReceivedResponse, within budget: WorkBudget) -> ResponseVerdict {
        let verdict = verdict(on: response, budget)
        guard let exceeded = budget.exceeded else { return verdict }
        // An incomplete evaluation says nothing about the body.
        var findings = verdict.findings.filter { $0.code == .httpStatus || $0.code == .httpContentType }
        let evidence = "judging \(response.body.count) bytes was given up: \(exceeded)"
        findings.append(Finding(.evaluationLimit, subject: "body", evidence: evidence))
        return ResponseVerdict(findings: findings, object: nil)
    }

    private func verdict(on response: ReceivedResponse, _ budget: WorkBudget) -> ResponseVerdict {
        var findings = [refusal(ofStatus: response.status)].compactMap(\.self)
        let contentType = ContentType(of: response)
        if let evidence = contentType.objection(accepting: acceptableContentTypes, body: response.body) {
            findings.append(Finding(.httpContentType, subject: "Content-Type", evidence: evidence))
            return ResponseVerdict(findings: findings, object: nil)
        }
        var object: SerializedObject?
        var json = JSONBody(response.body, budget)
        do throws(UndecodableBody) {
            object = try serializer.decode(response.body, contentType: contentType, json: &json, budget: budget)
        } catch {
            let evidence = "not \(error.format): \(error.reason); it begins with \(Snippet.quoted(response.body))"
            findings.append(Finding(.httpUndecodable, subject: "body", evidence: evidence))
        }
        findings += bodyFindings(of: response.body, contentType: contentType, json: &json, budget)
        return ResponseVerdict(findings: findings, object: object)
    }

    /// Returns the finding against a status code; nil if it is accepted.
    package func refusal(ofStatus status: Int) -> Finding? {
        guard !acceptableStatusCodes.contains(status) else { return nil }
        return Finding(.httpStatus, subject: "status", evidence: "expected \(acceptableStatusCodes), got \(status)")
    }

    /// `true` if ``evaluate(_:)`` takes negligible time for any body.
    package var areQuick: Bool { serializer == .http && bodyExpectations.isEmpty }

    private func bodyFindings(
        of body: [UInt8],
        contentType: ContentType,
        json: inout JSONBody,
        _ budget: WorkBudget
    ) -> [Finding] {
        guard !bodyExpectations.isEmpty else { return [] }
        var findings: [Finding] = []
        for expectation in bodyExpectations where !budget.isOver {
            switch expectation {
            case .contains(let text):
                guard !ByteSearch.contains(Array(text.utf8), in: body, budget: budget) else { continue }
                let evidence = "no \(Snippet.quoted(text)) in it; \(Self.beginning(of: body))"
                findings.append(Finding(.httpBody, subject: "body", evidence: evidence))
            case .matches(let pattern):
                guard let evidence = Self.objection(pattern.search(body, budget: budget), to: pattern, in: body) else {
                    continue
                }
                findings.append(Finding(.httpBody, subject: "body", evidence: evidence))
            case .json(let expectation):
                let evidence: String?
                do throws(JSONError) {
                    // With nulls, even if the serializer removes them.
                    evidence = expectation.objection(in: try json.value())
                } catch {
                    evidence = "not JSON: \(error) (\(contentType)); \(Self.beginning(of: body))"
                }
                guard let evidence else { continue }
                findings.append(Finding(.httpBody, subject: expectation.subject, evidence: evidence))
            }
        }
        return findings
    }

    private static func objection(_ result: PatternResult, to pattern: BodyPattern, in body: [UInt8]) -> String? {
        switch result {
        case .found: nil
        case .notFound: "no match of \(Snippet.quoted(pattern.text)) in it; \(beginning(of: body))"
        case .givenUp(let reason):
            "the search for \(Snippet.quoted(pattern.text)) in \(body.count) bytes was given up: \(reason)"
        }
    }

    private static func beginning(of body: [UInt8]) -> String {
        body.isEmpty ? "it is empty" : "it begins with \(Snippet.quoted(body))"
    }
}

/// Searches for bytes in bytes in linear time (Knuth, Morris and Pratt).
private enum ByteSearch {
    /// Returns whether the bytes contain others; an empty sequence is contained everywhere.
    ///
    /// - Parameter budget: Charged a step for each byte; once it is exceeded nothing is found.
    static func contains(_ wanted: [UInt8], in bytes: [UInt8], budget: WorkBudget? = nil) -> Bool {
        guard let first = wanted.first else { return true }
        guard wanted.count <= bytes.count else { return false }
        // For each number of matched bytes, the number that still match when the next one does not.
        var fallbacks = [0]
        var matched = 0
        for byte in wanted.dropFirst() {
            while matched > 0, wanted[matched] != byte { matched = fallbacks[matched - 1] }
            if wanted[matched] == byte { matched += 1 }
            fallbacks.append(matched)
        }
        matched = 0
        for (index, byte) in bytes.enumerated() {
            if index.isMultiple(of: WorkBudget.slice), let budget, !budget.allows(WorkBudget.slice) { return false }
            while matched > 0, wanted[matched] != byte { matched = fallbacks[matched - 1] }
            if matched == 0 ? byte == first : wanted[matched] == byte { matched += 1 }
            if matched == wanted.count { return true }
        }
        return false
    }
}
