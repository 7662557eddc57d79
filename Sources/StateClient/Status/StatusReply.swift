internal import AgentEvents
public import EventEnvelope

/// What the agent knows and how it fares: the answer to `status`.
///
/// An agent of another version may say more, which is ignored, and less, which is `nil` or empty. Texts are as the agent
/// sent them: escape what a terminal shows. docs/status.md describes the members.
public struct StatusReply: Decodable, Sendable, Hashable {
    /// Who answers.
    public let agent: Agent?
    /// When the answer was made.
    public let time: Timestamp?
    /// How the machine is reachable.
    public let reachability: Standing
    /// How the targets are reachable.
    public let targets: [Target]
    /// How the probes fare: those that are not up first.
    public let probes: [Probe]
    /// How many probes there was no room for.
    public let probesOmitted: Int?
    /// The interfaces with a default route, and how they fare.
    public let uplinks: [Uplink]
    /// What the probes' scheduler counted; `nil` without one.
    public let schedule: Schedule?
    /// What the agent was configured with; `nil` without a file.
    public let configuration: Configuration?
    /// How the hooks fare: those that fail first.
    public let hooks: [Hook]
    /// How many hooks there was no room for.
    public let hooksOmitted: Int?
    /// The interfaces, by their number.
    public let interfaces: [Interface]
    /// The newest settled changes, the oldest first.
    public let recent: [Transition]
    /// The number of the newest event.
    public let lastSequence: UInt64?
    /// How the journal fares; `nil` when none is kept.
    public let journal: Journal?
    /// Where the sockets are, and how many use them.
    public let sockets: Sockets?
    /// Whether the agent's view of the kernel is certain.
    public let isSynchronized: Bool?
    /// How often messages of the kernel's were lost.
    public let overruns: Overruns?

    private enum CodingKeys: String, CodingKey {
        case agent, time, targets, probes, uplinks, schedule, configuration, interfaces, recent, journal, sockets
        case overruns, hooks
        case hooksOmitted = "hooks_omitted"
        case probesOmitted = "probes_omitted"
        case lastSequence = "last_seq"
        case isSynchronized = "synchronized"
    }

    /// Reads a status; only what is no object is an error.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        agent = members.value(.agent)
        time = members.timestamp(.time)
        reachability = try Standing(from: decoder)
        targets = members.list(.targets)
        probes = members.list(.probes)
        probesOmitted = members.value(.probesOmitted)
        uplinks = members.list(.uplinks)
        schedule = members.value(.schedule)
        configuration = members.value(.configuration)
        hooks = members.list(.hooks)
        hooksOmitted = members.value(.hooksOmitted)
        interfaces = members.list(.interfaces)
        recent = members.list(.recent)
        lastSequence = members.value(.lastSequence)
        journal = members.value(.journal)
        sockets = members.value(.sockets)
        isSynchronized = members.value(.isSynchronized)
        overruns = members.value(.overruns)
    }

    /// Reads the parameters of the agent's reply: the text of one JSON object.
    ///
    /// - Throws: ``ClientError/malformed(_:)`` when they are anything else.
    public init(parameters: [UInt8]) throws(ClientError) {
        do {
            self = try EventDecoder.decode(StatusReply.self, from: parameters)
        } catch {
            throw .malformed("the status is no JSON object")
        }
    }
}

extension StateClient {
    /// Asks the agent for its status.
    ///
    /// - Throws: As ``call(_:parameters:timeout:)``.
    public func status(timeout: Duration = .seconds(5)) async throws(ClientError) -> StatusReply {
        try StatusReply(parameters: try await call("status", timeout: timeout))
    }

    /// Asks the agent who is connected to it.
    ///
    /// - Throws: As ``call(_:parameters:timeout:)``.
    public func subscribers(timeout: Duration = .seconds(5)) async throws(ClientError) -> SubscribersReply {
        try SubscribersReply(parameters: try await call("subscribers", timeout: timeout))
    }
}
