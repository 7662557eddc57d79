internal import AgentEvents

extension RequestCode: ExplainedCode {
    /// The meaning and the remedy; most are addressed to the author of a client.
    var explanation: Explanation.Meaning {
        switch self {
        case .subscriberLagged:
            (
                "A client read its events too slowly, and was cut off.",
                "Let it read faster and resume with 'since_seq'; `reachagent subscribers` shows slow ones."
            )
        case .agentStopping: ("The agent stops; it ended the subscription.", "Let the client connect again.")
        case .streamChanged:
            (
                "The numbers of events restarted: the journal was deleted, or the agent runs without one.",
                "Let the client start with the snapshot instead of a number."
            )
        case .sequenceUnknown:
            (
                "No event has a number as high as the client's: the journal was deleted or restored.",
                "Let the client start with the snapshot instead of a number."
            )
        case .eventsExpired:
            (
                "A client was away for longer than the journal covers: events after its number are gone.",
                "Let it resume one below 'oldest_seq'; set 'journal_size' and 'journal_age' for longer absences."
            )
        case .journalUnreadable:
            (
                "The agent could not read its journal for a client: the events after its number may still be there.",
                "Let the client try again with the same number; the message has the system's reason."
            )
        case .tooManyConnections:
            (
                "All connections of the agent's sockets are in use.",
                "`reachagent subscribers` shows them; raise 'max_connections' in [agent], or 'LimitNOFILE=' of the service."
            )
        case .tooManyUserConnections:
            (
                "One user, or one host, has as many connections as it may have.",
                "`reachagent subscribers` shows them: close some, or let clients share one."
            )
        case .requestTimeout:
            ("A client began a request and did not complete it in time.", "Let it send whole lines at once.")
        case .tooMuchUnfinished:
            (
                "Requests that clients have not finished take too much memory; this client had the largest part.",
                "Let it send shorter requests, and complete them."
            )
        case .invalidJSON:
            ("A request's line is not one JSON object in UTF-8.", "Correct the client: docs/protocol.md.")
        case .lineTooLong:
            ("A request's line is longer than the agent accepts.", "Correct the client: docs/protocol.md.")
        case .invalidRequest:
            (
                "A member of a request is missing, unknown or of the wrong type.",
                "Correct the client: the message names the member."
            )
        case .unknownMethod:
            (
                "There is no such method, or the agent is older than the client.",
                "The message lists the agent's methods; compare the versions: `reachagent status agent`."
            )
        case .invalidParameters:
            (
                "A parameter of a request is missing, unknown or not valid.",
                "Correct the client: the message names the parameter, and what it must be."
            )
        case .expectedMore:
            ("'subscribe' has many replies, and the request accepts one.", "Send it with \"more\":true.")
        case .tooManyRequests:
            (
                "A connection has too many unanswered requests.",
                "Let the client read the replies before it sends more."
            )
        case .configurationInvalid:
            (
                "The configuration has errors: the earlier one stays in effect.",
                "`reachagent config check` shows each with file, line and key."
            )
        case .noConfigurationFile:
            (
                "The agent finds no configuration file to read.",
                "`reachagent config init` writes one; the message has the paths where one was looked for."
            )
        case .netlinkFailed:
            (
                "A reload is in effect, except that the kernel is still queried as before: netlink failed.",
                "`reachagent reload` tries again; the message has the error, such as a limit of open files."
            )
        case .busy:
            ("The agent is already reloading for other clients.", "Try again: `reachagent reload`.")
        case .tooManyReloads, .tooManyChecks:
            (
                "A user requests more of the agent than its share.",
                "Try again in the time that the message has ('retry_after_ms')."
            )
        case .noProbeConfigured: ProblemCode.noProbeConfigured.explanation
        case .unknownProbe:
            (
                "The agent has no probe of this name.",
                "The message lists the probes; so does `reachagent status probes`."
            )
        case .budgetExhausted:
            (
                "Checks on request have used their quarter of the metered link's budget; those by schedule go on.",
                "Nothing until tomorrow (UTC), or raise bytes_per_day in [metered]."
            )
        case .permissionDenied:
            (
                "Only root and the agent's user may report for a sink.",
                "Run reachagent-sink as its service does: `systemctl status reachagent-sink`."
            )
        case .unknownSink:
            (
                "A sink reports that the agent's configuration does not have.",
                "Nothing, if it was just removed; else restart what reports: `systemctl restart reachagent-sink`."
            )
        }
    }
}

extension OnlineCondition.Failure.Code: ExplainedCode {
    /// The meaning and the remedy.
    var explanation: Explanation.Meaning {
        switch self {
        case .noAgent:
            ("`reachagent wait-online`: no agent answers.", "`systemctl status reachagent` shows why it does not run.")
        case .stateUnknown:
            (
                "`reachagent wait-online`: the agent has not read the kernel's state yet.",
                "Wait; if it stays so, look at its log: `journalctl -u reachagent`."
            )
        case .notReachable:
            ("`reachagent wait-online`: there is no path.", "`reachagent status` says why, and what to do first.")
        case .otherMedium:
            (
                "`reachagent wait-online`: the path leads through another medium than those that are waited for.",
                "`reachagent status uplinks` shows why the wanted one is not used."
            )
        case .notFull:
            (
                "`reachagent wait-online`: there is a path, and not all required probes are up.",
                "`reachagent status probes` has those that are not up first."
            )
        case .unknownTarget:
            (
                "`reachagent wait-online`: the agent has no target of this name.",
                "Add it as [target.NAME], or correct the name: the message lists the targets."
            )
        case .timedOut:
            ("`reachagent wait-online` timed out, although nothing else was missing at its end.", "Run it again.")
        }
    }
}
