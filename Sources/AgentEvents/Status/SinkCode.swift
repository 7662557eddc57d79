/// The reasons that a sink does not ship, or that an event does not reach its broker, each with a sentence and a
/// remedy.
///
/// `budget_exhausted` and `path_changed` are also codes of checks. The codes are part of the event schema: a code is
/// never renamed and never reused.
public enum SinkCode: String, Sendable, Hashable, CaseIterable {
    /// `reachagent-sink` has not reported.
    case sinkAbsent = "sink_absent"
    /// No server of the broker answers.
    case brokerUnreachable = "broker_unreachable"
    /// No trustworthy TLS connection can be established.
    case brokerTLS = "broker_tls"
    /// The broker rejects the credentials or denies the permission.
    case brokerDenied = "broker_denied"
    /// No stream accepts the subject.
    case brokerNoStream = "broker_no_stream"
    /// The stream or the disk is full.
    case brokerFull = "broker_full"
    /// The broker retains no messages.
    case brokerNoRetain = "broker_no_retain"
    /// Another machine ships under the same name.
    case brokerConflict = "broker_conflict"
    /// The broker rejects an event because of its size.
    case brokerTooLarge = "broker_too_large"
    /// The broker does not answer in time.
    case brokerTimeout = "broker_timeout"
    /// The broker's answers cannot be read.
    case brokerProtocol = "broker_protocol"
    /// A file with credentials cannot be used.
    case credentialsUnreadable = "credentials_unreadable"
    /// The byte budget of a metered link is used up.
    case budgetExhausted = "budget_exhausted"
    /// The current medium is not listed.
    case mediumExcluded = "medium_excluded"
    /// A captive portal answers instead of the broker.
    case captivePortal = "captive_portal"
    /// The path changed, and the sink connects anew.
    case pathChanged = "path_changed"
    /// The journal started new numbering.
    case journalRestarted = "journal_restarted"
    /// The journal has removed events before they were shipped.
    case eventsExpired = "events_expired"
    /// The journal's name cannot be part of a message.
    case journalUnusable = "journal_unusable"

    /// The meaning of the code, as a sentence.
    public var sentence: String {
        switch self {
        case .sinkAbsent: "The program that ships events, reachagent-sink, has not reported to the agent."
        case .brokerUnreachable: "No server of the broker answers, or its name has no address."
        case .brokerTLS:
            "The broker's certificate is not trusted, is for another name or key, or the broker offers no TLS."
        case .brokerDenied: "The broker refuses the credentials, or the permission for a subject."
        case .brokerNoStream: "No JetStream stream takes the subject of the events."
        case .brokerFull: "The stream, or the broker's disk, is full and takes no event."
        case .brokerNoRetain: "The broker takes events, and no retained messages such as the state and the presence."
        case .brokerConflict: "The broker has events of another machine under the name of this device."
        case .brokerTooLarge: "The broker refuses an event for its size: the event is lost to it."
        case .brokerTimeout: "The broker did not answer in time; the next attempt follows."
        case .brokerProtocol: "The broker sends answers that cannot be read."
        case .credentialsUnreadable: "A file with credentials cannot be read by reachagent-sink, or cannot be used."
        case .budgetExhausted: "The sink waits: the metered link's budget of bytes for this day is used up."
        case .mediumExcluded: "The present path leads over a medium that 'when' does not list."
        case .captivePortal: "A captive portal answers in the place of the broker."
        case .pathChanged: "The sink connects anew, because the path changed."
        case .journalRestarted:
            "The agent's journal restarted its numbering: the sink reconnects and queries the broker."
        case .eventsExpired: "The journal removed events before the broker had them: they are lost to it."
        case .journalUnusable: "The agent's stream of events has a name that cannot be part of a message to a broker."
        }
    }

    /// The remedy, with commands in backticks.
    public var remedy: String {
        switch self {
        case .sinkAbsent:
            """
            `systemctl status reachagent-sink` shows why it does not run; if it is missing, install the package \
            reachagent-sink, from the repository or as the .deb of the same build.
            """
        case .brokerUnreachable: "Correct 'url', or check the path to the broker: `reachagent probe tcp://BROKER:PORT`."
        case .brokerTLS:
            "Name the issuing authority in 'ca_file'; `openssl s_client -connect BROKER:PORT` shows the certificate."
        case .brokerDenied: "Compare the credentials and the user's permissions at the broker with docs/fleet.md."
        case .brokerNoStream: "Create the stream as docs/fleet.md shows, or correct 'stream' and 'subject'."
        case .brokerFull: "Raise the limits of the stream, let it discard old messages, or give the broker more disk."
        case .brokerNoRetain: "Let the broker retain messages, or set 'keep_state = false'."
        case .brokerConflict:
            """
            Give each machine a 'device' of its own, and restart the sink of the one that keeps this name: \
            `systemctl restart reachagent-sink`.
            """
        case .brokerTooLarge: "Raise 'max_payload' or 'max_msg_size' (NATS), 'message_size_limit' (mosquitto)."
        case .brokerTimeout: "Look at the broker's load, and at the path to it: `reachagent status`."
        case .brokerProtocol: "Check that 'url' has the right scheme and port, and the broker's version."
        case .credentialsUnreadable:
            "Correct the owner and mode of the file, or use LoadCredential= of reachagent-sink.service."
        case .budgetExhausted: "Nothing until tomorrow (UTC), or raise bytes_per_day in [metered]."
        case .mediumExcluded: "Nothing; 'max_age' limits the wait."
        case .captivePortal: "Log in; `reachagent status` has the portal's address."
        case .pathChanged, .journalRestarted: "Nothing."
        case .eventsExpired: "Set 'journal_age' and 'journal_size' so that the journal outlasts outages."
        case .journalUnusable:
            """
            An agent gives its stream 32 hexadecimal digits: find out which program answers at the socket, or report it \
            with the output of `reachagent status agent`.
            """
        }
    }
}
