internal import AgentEvents
internal import Probes

/// A failed attempt to send a webhook that is followed by another one.
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

    /// The attempt as a status has it.
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
