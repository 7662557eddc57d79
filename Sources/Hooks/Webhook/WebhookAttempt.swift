internal import AgentEvents
internal import Probes

/// The result of one attempt to send a webhook.
struct WebhookAttempt {
    /// The next step after an attempt.
    enum Sequel {
        /// The request was accepted.
        case delivered
        /// Another attempt may succeed.
        case repeatable
        /// Another attempt would fail too.
        case final
        /// The check was cancelled, because the agent is stopping.
        case cancelled
    }

    /// The 4xx statuses that may change on a retry: Request Timeout, Too Early, Too Many Requests.
    private static let passingRefusals: Set<Int> = [408, 425, 429]

    /// The codes of a check that the loss of the network can cause: nothing was sent, or it was not answered.
    private static let codesWithoutNetwork: Set<FindingCode> = [
        .dnsTimeout, .dnsFailure, .resolverBusy, .linkDown, .noRoute, .noAddress, .interfaceUnknown, .hostUnreachable,
        .connectTimeout, .timeout,
    ]

    /// The next step.
    let sequel: Sequel
    /// The check's code; nil if the request was accepted.
    let code: FindingCode?
    /// The finding, as a clause.
    let detail: String
    /// The response's status; nil without a response.
    let httpStatus: Int?
    /// `true` if there is no response, and the loss of the network can be the reason.
    let isUnanswered: Bool
    /// The start of an error response's body.
    let output: HookOutput
    /// The delay requested by the server (`Retry-After`, RFC 9110, section 10.2.3); nil without one.
    let requestedPause: Duration?

    /// Creates the result of a check with these expectations.
    ///
    /// - Parameter now: The current time in seconds since 1970.
    init(_ report: Probes.CheckReport, expecting expectations: ResponseExpectations, now: Int) {
        let response = report.hops.last?.response
        let status = response?.status
        httpStatus = status
        guard let code = report.verdict.code, !Self.isAccepted(status, by: expectations) else {
            (sequel, code, detail, output, requestedPause) = (.delivered, nil, "", HookOutput(), nil)
            isUnanswered = false
            return
        }
        self.code = code
        isUnanswered = status == nil && Self.codesWithoutNetwork.contains(code)
        detail = report.findings.first { $0.code == code }?.evidence ?? code.rawValue
        output = Self.output(of: response)
        requestedPause = Self.requestedPause(response?.headers ?? [], now: now)
        sequel =
            switch (code, status) {
            case (.cancelled, _): .cancelled
            case (.requestInvalid, _): .final
            case (_, let status?) where (400..<500).contains(status) && !Self.passingRefusals.contains(status): .final
            default: .repeatable
            }
    }

    /// Creates the result of an attempt that sent nothing, for lack of its secret.
    init(unsent code: FindingCode, detail: String) {
        (sequel, self.code, self.detail) = (.repeatable, code, detail)
        (isUnanswered, httpStatus, output, requestedPause) = (false, nil, HookOutput(), nil)
    }

    /// Returns whether the status alone proves that the request was accepted, regardless of the rest of the response.
    ///
    /// Otherwise a receiver whose response is too long or truncated would get the event again and again.
    private static func isAccepted(_ status: Int?, by expectations: ResponseExpectations) -> Bool {
        guard let status, expectations.acceptableStatusCodes.contains(status) else { return false }
        return expectations.acceptableContentTypes == nil && expectations.serializer == .http
            && expectations.bodyExpectations.isEmpty
    }

    private static func output(of response: ResponseReport?) -> HookOutput {
        guard let response, let body = response.body, !body.isEmpty else { return HookOutput() }
        var shown = body.prefix(Snippet.limit)
        if shown.count < body.count {
            // An incomplete character is left out.
            while let last = shown.last, last & 0xC0 == 0x80 { shown.removeLast() }
            if let last = shown.last, last >= 0xC0 { shown.removeLast() }
        }
        let bytes = max(response.decodedBodyBytes ?? response.bodyBytes, body.count)
        return HookOutput(text: Snippet.quoted(shown), bytes: bytes, omittedBytes: bytes - shown.count)
    }

    private static func requestedPause(_ headers: [HeaderField], now: Int) -> Duration? {
        guard let value = headers.first(where: { $0.isNamed("retry-after") })?.value, !value.isEmpty else { return nil }
        guard !value.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) else {
            // A number that does not fit into an Int32 exceeds the maximum delay anyway.
            return .seconds(Int32(value) ?? Int32.max)
        }
        guard let date = HTTPDate.seconds(value, now: now) else { return nil }
        // This machine's clock may be wrong: the server's own counts, if the response has it.
        let sent = headers.first { $0.isNamed("date") }.flatMap { HTTPDate.seconds($0.value, now: now) }
        return .seconds(max(0, date - (sent ?? now)))
    }
}

/// A failed attempt to send a webhook that is retried.
package struct WebhookRetry: Sendable, Hashable {
    /// The number of the attempt, from 1 on.
    package let number: Int
    /// The maximum number of attempts.
    package let maximum: Int
    /// The code of the failure.
    package let code: String
    /// The finding, as a clause.
    package let detail: String
    /// The status of the response; nil without one.
    package let httpStatus: Int?
    /// The time until the next attempt.
    package let pause: Duration

    init(_ attempt: WebhookAttempt, number: Int, maximum: Int, pause: Duration) {
        self.number = number
        self.maximum = maximum
        code = (attempt.code ?? .requestInvalid).rawValue
        detail = attempt.detail
        httpStatus = attempt.httpStatus
        self.pause = pause
    }

    /// The attempt in the form of the status.
    var status: AgentStatus.HookStatus.Attempt {
        AgentStatus.HookStatus.Attempt(
            attempts: number,
            maximum: maximum,
            code: code,
            detail: detail,
            httpStatus: httpStatus,
            time: .now,
            pauseMilliseconds: pause.milliseconds
        )
    }
}
