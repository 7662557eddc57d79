internal import AgentEvents
internal import ForeignText

/// A method of the control socket.
///
/// ``all`` is the only list of methods: it determines the handling of requests, errors list its methods, and a test
/// compares docs/protocol.md with it.
struct ControlMethod: Sendable {
    /// The name.
    let name: String
    /// The names of its parameters.
    var parameters: [String] = []
    /// The documentation of its replies, as a sentence.
    let replies: String
    /// Reads a request that has no parameters other than ``parameters``.
    let call: @Sendable (ControlRequest) throws(ControlFailure) -> ControlCall

    /// The methods, in the order of the documentation.
    static let all: [ControlMethod] = [
        ControlMethod(
            name: "status",
            replies: "The state and why, the targets, the probes, the journal, the sockets"
        ) { _ in .status },
        ControlMethod(
            name: "subscribe",
            parameters: ["types", "subjects", "since_seq", "since_time", "stream", "snapshot"],
            replies: #"One per line, as below; needs `"more":true`"#
        ) { request throws(ControlFailure) in .subscribe(try request.subscription()) },
        ControlMethod(name: "subscribers", replies: "The connections, below") { _ in .subscribers },
        ControlMethod(
            name: "probe",
            parameters: ["name"],
            replies: "Starts the checks at once, or joins those that are running, below"
        ) { request throws(ControlFailure) in .ask(.check(probe: try request.probeName())) },
        ControlMethod(name: "hooks", replies: "The status of all hooks") { _ in .ask(.hooks) },
        ControlMethod(
            name: "sink",
            parameters: ["status", "device", "stream", "bytes", "lost"],
            replies: "Takes the report of a sink, below; for root and the agent's own user"
        ) { request throws(ControlFailure) in .ask(.sink(try request.sinkReport())) },
        ControlMethod(name: "reload", replies: "Reloads the configuration, below") { _ in .ask(.reload) },
    ]

    /// The failure of a request whose method is none of these.
    static func unknown(_ method: ForeignText) -> ControlFailure {
        let names = all.map(\.name)
        var message = "there is no method '\(method.shown(limit: ControlRequest.shownLimit))'"
        if method.bytes.count <= ControlRequest.shownLimit,
            let name = KeySuggestion.nearest(to: String(decoding: method.bytes, as: UTF8.self), among: names)
        {
            message += "; did you mean '\(name)'?"
        }
        return ControlFailure(
            code: .unknownMethod,
            message: "\(message) (methods: \(names.joined(separator: ", ")))"
        )
    }
}

/// The content of a valid request.
enum ControlCall: Hashable {
    /// The agent's status.
    case status
    /// The connections.
    case subscribers
    /// Events from now on.
    case subscribe(SubscriptionParameters)
    /// A request that the agent answers itself, immediately or later.
    case ask(AgentRequest)
}
