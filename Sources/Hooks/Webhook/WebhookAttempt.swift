internal import Probes

/// What one attempt to send a webhook came to.
struct WebhookAttempt {
    /// What is to be done now.
    enum Sequel {
        /// The request was accepted.
        case delivered
        /// Another attempt may fare better.
        case repeatable
        /// Another attempt would fare no better.
        case final
        /// The check was cancelled: the agent ends.
        case cancelled
    }

    /// The answers of the 4xx class that another attempt can change: Request Timeout, Too Early, Too Many Requests.
    private static let passingRefusals: Set<Int> = [408, 425, 429]

    /// What is to be done now.
    let sequel: Sequel
    /// The check's code; nil when the request was accepted.
    let code: FindingCode?
    /// What was found, as a clause.
    let detail: String
    /// The response's status; nil when none came.
    let httpStatus: Int?
    /// The beginning of what a refusing response says.
    let output: HookOutput
    /// How long the server asks to be left alone (`Retry-After`, RFC 9110 section 10.2.3, in seconds); nil when it does not.
    let askedPause: Duration?

    /// Judges a check that was made with these expectations.
    init(_ report: CheckReport, expecting expectations: ResponseExpectations) {
        let response = report.hops.last?.response
        let status = response?.status
        httpStatus = status
        guard let code = report.verdict.code, !Self.isAccepted(status, by: expectations) else {
            (sequel, code, detail, output, askedPause) = (.delivered, nil, "", HookOutput(), nil)
            return
        }
        self.code = code
        detail = report.findings.first { $0.code == code }?.evidence ?? code.rawValue
        output = Self.output(of: response)
        askedPause = Self.askedPause(response?.headers ?? [])
        sequel =
            switch (code, status) {
            case (.cancelled, _): .cancelled
            case (.requestInvalid, _): .final
            case (_, let status?) where (400..<500).contains(status) && !Self.passingRefusals.contains(status): .final
            default: .repeatable
            }
    }

    /// Whether the status alone tells that the request was accepted, whatever became of the rest of the response.
    ///
    /// Without it a receiver whose answer is too long or ends too early would be given the event again and again.
    private static func isAccepted(_ status: Int?, by expectations: ResponseExpectations) -> Bool {
        guard let status, expectations.acceptableStatusCodes.contains(status) else { return false }
        return expectations.acceptableContentTypes == nil && expectations.serializer == .http
            && expectations.bodyExpectations.isEmpty
    }

    private static func output(of response: ResponseReport?) -> HookOutput {
        guard let response, let body = response.body, !body.isEmpty else { return HookOutput() }
        var shown = body.prefix(Snippet.limit)
        if shown.count < body.count {
            // A character that is cut is left out.
            while let last = shown.last, last & 0xC0 == 0x80 { shown.removeLast() }
            if let last = shown.last, last >= 0xC0 { shown.removeLast() }
        }
        let bytes = max(response.decodedBodyBytes ?? response.bodyBytes, body.count)
        return HookOutput(text: Snippet.quoted(shown), bytes: bytes, omittedBytes: bytes - shown.count)
    }

    private static func askedPause(_ headers: [HeaderField]) -> Duration? {
        guard let value = headers.first(where: { $0.name.lowercased() == "retry-after" })?.value,
            !value.isEmpty, value.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        // More digits than an Int32 has are no less than the longest pause that is granted.
        return .seconds(Int32(value) ?? Int32.max)
    }
}
