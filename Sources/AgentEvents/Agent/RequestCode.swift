/// The codes with which the agent's sockets reject a request or end a subscription.
///
/// The codes are part of the protocol: a code is never renamed and never reused.
public enum RequestCode: String, Sendable, Hashable, CaseIterable {
    // MARK: Subscriptions

    /// The subscriber was too slow.
    case subscriberLagged = "subscriber_lagged"
    /// The agent stops.
    case agentStopping = "agent_stopping"
    /// The number belongs to another stream than the agent's.
    case streamChanged = "stream_changed"
    /// The number is higher than that of the newest event.
    case sequenceUnknown = "sequence_unknown"
    /// The events after the number are no longer available.
    case eventsExpired = "events_expired"
    /// The journal could not be read; the events may be available at the next attempt.
    case journalUnreadable = "journal_unreadable"

    // MARK: Connections

    /// All connections are in use.
    case tooManyConnections = "too_many_connections"
    /// The user has as many connections as one user may have.
    case tooManyUserConnections = "too_many_user_connections"
    /// A client did not complete its request in time.
    case requestTimeout = "request_timeout"
    /// The incomplete and unanswered requests of all clients take too much memory.
    case tooMuchUnfinished = "too_much_unfinished"

    // MARK: The protocol

    /// The line is not a JSON object.
    case invalidJSON = "invalid_json"
    /// The line is longer than a request may be.
    case lineTooLong = "line_too_long"
    /// A member of the request is missing, unknown or of the wrong type.
    case invalidRequest = "invalid_request"
    /// There is no such method.
    case unknownMethod = "unknown_method"
    /// A parameter is missing, unknown or not valid.
    case invalidParameters = "invalid_parameters"
    /// The method has many replies, and the request does not accept them.
    case expectedMore = "expected_more"
    /// The connection has too many unanswered requests.
    case tooManyRequests = "too_many_requests"

    // MARK: Methods

    /// The configuration has errors; the earlier one stays in effect.
    case configurationInvalid = "configuration_invalid"
    /// There is no configuration file to read.
    case noConfigurationFile = "no_configuration_file"
    /// The configuration is in effect, except for the queries of the kernel.
    case netlinkFailed = "netlink_failed"
    /// Too many reloads are pending.
    case busy
    /// The user requests reloads too often.
    case tooManyReloads = "too_many_reloads"
    /// The agent has no probe.
    case noProbeConfigured = "no_probe_configured"
    /// There is no probe of this name.
    case unknownProbe = "unknown_probe"
    /// The user requests checks too often.
    case tooManyChecks = "too_many_checks"
    /// Requested checks have used their part of the budget of a metered link.
    case budgetExhausted = "budget_exhausted"
    /// The user may not report for a sink.
    case permissionDenied = "permission_denied"
    /// There is no sink of this name.
    case unknownSink = "unknown_sink"
}
