/// One event of the agent: a CloudEvents 1.0 envelope, and the value of its type.
public struct AgentEvent: Sendable, Hashable {
    /// The unique id of the event.
    public var id: String
    /// The agent that published it: `/reachagent/` and the host's name.
    public var source: String
    /// The CloudEvents type, such as `reachagent.reachability.changed`.
    public var type: String
    /// The subject: `default`, `agent`, or the name of a target, a probe, an interface, a hook or a sink.
    public var subject: String
    /// The moment at which it was published.
    public var time: Timestamp
    /// The number; `nil` for types that are not part of the history.
    public var sequence: UInt64?
    /// The content.
    public var content: Content

    /// The schema version: raised only when a member is added.
    public static let schemaVersion = 1
    /// The subject of the events about the default path.
    public static let defaultSubject = "default"
    /// The subject of the events about the agent itself.
    public static let agentSubject = "agent"

    /// The content of an event, by its type.
    ///
    /// Indirect: a change of a path has a hundred members, and events are passed on by value.
    public indirect enum Content: Sendable, Hashable {
        /// `agent.started`: the first numbered event of a run.
        case agentStarted(AgentStarted)
        /// `agent.stopping`: the last numbered event of a run.
        case agentStopping(AgentStopping)
        /// `path.changed`: every change of a path, reported immediately.
        case pathChanged(StateChange)
        /// `reachability.changed`: the machine's reachability, settled.
        case reachabilityChanged(StateChange)
        /// `target.changed`: a target's reachability, settled.
        case targetChanged(StateChange)
        /// `uplink.changed`: an uplink, active or standby, settled.
        case uplinkChanged(UplinkChange)
        /// `probe.changed`: a probe's verdict.
        case probeChanged(ProbeChange)
        /// `probe.summary`: the checks of a probe within an hour.
        case probeSummary(ProbeSummary)
        /// `certificate.expiring`: one event per threshold.
        case certificateExpiring(CertificateExpiry)
        /// `suspend.resumed`: the machine was suspended.
        case suspendResumed(SuspendResumed)
        /// `config.reloaded`: the configuration was reloaded.
        case configReloaded(ConfigurationReload)
        /// `config.rejected`: a reload was rejected.
        case configRejected(ConfigurationRejection)
        /// `netlink.overrun`: kernel messages were lost.
        case netlinkOverrun(NetlinkOverrun)
        /// `netlink.resynced`: the agent read the kernel's state again.
        case netlinkResynced(NetlinkResynchronization)
        /// `hook.completed`: a run of a hook ended.
        case hookCompleted(HookCompletion)
        /// `journal.degraded`: the journal cannot be written, or can be written again.
        case journalDegraded(JournalDegraded)
        /// `sink.lost`: events that a sink's broker will never receive.
        case sinkLost(SinkLoss)
        /// `events.omitted`: events that are no longer kept.
        case eventsOmitted(EventsOmitted)
        /// `agent.hello`: the first line on a socket.
        case agentHello(AgentHello)
        /// `network.snapshot`: the complete state.
        case networkSnapshot(NetworkSnapshot)
        /// `probe.completed`: the end of one check.
        case probeCompleted(CompletedCheck)
        /// `probe.progress`: the progress of a transfer.
        case probeProgress(ProbeProgress)
        /// `subscriber.lagged`: the client was too slow.
        case subscriberLagged(SubscriberLagged)
        /// A type of a later version, or content whose format differs from this version's.
        case unknown
    }

    /// The type, if this version knows it.
    public var knownType: EventType? { EventType(text: type) }

    /// True for an event about the default path or the agent, whose subject adds nothing to its type.
    package var isGeneral: Bool {
        // By bytes, because it may be a stranger's.
        [Self.defaultSubject, Self.agentSubject, ""].contains { $0.utf8.elementsEqual(subject.utf8) }
    }
}

extension AgentEvent {
    /// Reads an event from a line of the stream or of the journal.
    ///
    /// - Parameter line: The line, without its newline.
    /// - Returns: `nil` if the line is longer than `ScannedLine.maximumBytes`, is not one well-formed JSON object, or
    ///   has no envelope.
    public init?(line: [UInt8]) {
        guard let event = EventDecoder.value(AgentEvent.self, of: line) else { return nil }
        self = event
    }
}

extension AgentEvent: Codable {
    private enum CodingKeys: String, CodingKey {
        case specversion, id, source, type, subject, time, data
        case sequence = "seq"
    }

    /// Reads an event; unknown members are ignored, and unreadable content is ``Content/unknown``.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        id = try members.decode(String.self, forKey: .id)
        source = try members.decode(String.self, forKey: .source)
        type = try members.decode(String.self, forKey: .type)
        subject = try members.decodeIfPresent(String.self, forKey: .subject) ?? ""
        time = try members.decode(Timestamp.self, forKey: .time)
        sequence = try members.decodeIfPresent(UInt64.self, forKey: .sequence)
        content = Content(of: EventType(text: type)) { Self.data(in: members, as: $0) }
    }

    /// Writes the event as the agent does.
    ///
    /// - Throws: `EncodingError` for ``Content/unknown`` content, which only the original line contains.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode("1.0", forKey: .specversion)
        try members.encode(id, forKey: .id)
        try members.encode(source, forKey: .source)
        try members.encode(type, forKey: .type)
        try members.encode(subject, forKey: .subject)
        try members.encode(time, forKey: .time)
        try members.encodeIfPresent(sequence, forKey: .sequence)
        try members.encode(content, forKey: .data)
    }

    private static func data<Value: Decodable>(
        in members: KeyedDecodingContainer<CodingKeys>,
        as type: Value.Type
    ) -> Value? {
        try? members.decode(type, forKey: .data)
    }
}

extension AgentEvent.Content {
    /// Reads the content of a type.
    ///
    /// - Parameter read: Reads the event's `data` as a value, if possible.
    init(of type: EventType?, _ read: (any Decodable.Type) -> (any Decodable)?) {
        func content<Value: Decodable>(_ make: (Value) -> Self) -> Self {
            (read(Value.self) as? Value).map(make) ?? .unknown
        }
        self =
            switch type {
            case .agentStarted: content(Self.agentStarted)
            case .agentStopping: content(Self.agentStopping)
            case .pathChanged: content(Self.pathChanged)
            case .reachabilityChanged: content(Self.reachabilityChanged)
            case .targetChanged: content(Self.targetChanged)
            case .uplinkChanged: content(Self.uplinkChanged)
            case .probeChanged: content(Self.probeChanged)
            case .probeSummary: content(Self.probeSummary)
            case .certificateExpiring: content(Self.certificateExpiring)
            case .suspendResumed: content(Self.suspendResumed)
            case .configReloaded: content(Self.configReloaded)
            case .configRejected: content(Self.configRejected)
            case .netlinkOverrun: content(Self.netlinkOverrun)
            case .netlinkResynced: content(Self.netlinkResynced)
            case .hookCompleted: content(Self.hookCompleted)
            case .journalDegraded: content(Self.journalDegraded)
            case .sinkLost: content(Self.sinkLost)
            case .eventsOmitted: content(Self.eventsOmitted)
            case .agentHello: content(Self.agentHello)
            case .networkSnapshot: content(Self.networkSnapshot)
            case .probeCompleted: content(Self.probeCompleted)
            case .probeProgress: content(Self.probeProgress)
            case .subscriberLagged: content(Self.subscriberLagged)
            case nil: .unknown
            }
    }
}

extension AgentEvent.Content: Encodable {
    /// Writes the event's `data`.
    ///
    /// - Throws: `EncodingError` for ``unknown``, whose content only the original line contains.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .agentStarted(let value): try value.encode(to: encoder)
        case .agentStopping(let value): try value.encode(to: encoder)
        case .pathChanged(let value): try value.encode(to: encoder)
        case .reachabilityChanged(let value): try value.encode(to: encoder)
        case .targetChanged(let value): try value.encode(to: encoder)
        case .uplinkChanged(let value): try value.encode(to: encoder)
        case .probeChanged(let value): try value.encode(to: encoder)
        case .probeSummary(let value): try value.encode(to: encoder)
        case .certificateExpiring(let value): try value.encode(to: encoder)
        case .suspendResumed(let value): try value.encode(to: encoder)
        case .configReloaded(let value): try value.encode(to: encoder)
        case .configRejected(let value): try value.encode(to: encoder)
        case .netlinkOverrun(let value): try value.encode(to: encoder)
        case .netlinkResynced(let value): try value.encode(to: encoder)
        case .hookCompleted(let value): try value.encode(to: encoder)
        case .journalDegraded(let value): try value.encode(to: encoder)
        case .sinkLost(let value): try value.encode(to: encoder)
        case .eventsOmitted(let value): try value.encode(to: encoder)
        case .agentHello(let value): try value.encode(to: encoder)
        case .networkSnapshot(let value): try value.encode(to: encoder)
        case .probeCompleted(let value): try value.encode(to: encoder)
        case .probeProgress(let value): try value.encode(to: encoder)
        case .subscriberLagged(let value): try value.encode(to: encoder)
        case .unknown:
            throw EncodingError.invalidValue(
                self,
                .init(codingPath: encoder.codingPath, debugDescription: "content that is not known")
            )
        }
    }
}
