public import AgentEvents

/// The part of an event that hooks need.
public struct HookEvent: Sendable, Hashable {
    /// One side of a transition.
    public struct Side: Sendable, Hashable {
        /// The `via`.
        public var via: String?
        /// The `connectivity`.
        public var connectivity: String?
        /// The reason that no path exists.
        public var reason: String?
        /// The interface of the path.
        public var interface: String?
        /// The login page of a portal.
        public var portalURL: String?
        /// `true` if the default path uses the uplink.
        public var isUsed: Bool?
        /// The kind of the uplink.
        public var kind: String?
        /// A probe's verdict.
        public var verdict: String?
        /// The reason a probe is not up.
        public var code: String?

        /// Creates an empty side.
        public init() {}
    }

    /// The type of the event.
    public var type: EventType
    /// The envelope's `id`.
    public var id: String
    /// The sequence number.
    public var sequence: UInt64?
    /// The envelope's `time`, unmodified.
    public var time: String
    /// The subject.
    public var subject: String
    /// The state before.
    public var from = Side()
    /// The state after.
    public var to = Side()
    /// The cause.
    public var cause: ChangeCause?
    /// `ipv4` or `ipv6`, if the event concerns one family.
    public var family: String?
    /// The interface that a probe is bound to.
    public var interface: String?
    /// The alternative names of the event's interfaces, which are not part of the event.
    public var alternativeNames: [String] = []
    /// The whole line, without its newline.
    public var line: [UInt8]

    /// The target's name; nil if the event is about the default path, a probe or the agent.
    public var target: String? {
        switch type {
        case .targetChanged: subject
        case .pathChanged: subject == AgentEvent.defaultSubject ? nil : subject
        default: nil
        }
    }

    /// The uplink's interface.
    public var uplink: String? { type == .uplinkChanged ? subject : nil }

    /// The probe's name.
    public var probe: String? { type == .probeChanged || type == .certificateExpiring ? subject : nil }

    /// `true` for the state that existed when the agent started.
    public var isInitial: Bool { cause?.kind == "start" }
}

extension HookEvent {
    /// Creates the content of an event that the agent publishes.
    public init(_ event: Event) { self.init(event.value, of: event.type, line: event.line) }

    /// Reads a line of the journal or of a file.
    ///
    /// - Parameter line: The line, without its newline.
    /// - Returns: nil if the line is not an event, is longer than `ScannedLine.maximumBytes`, or has a type or content
    ///   that this version does not know.
    public init?(line: [UInt8]) {
        guard let event = AgentEvent(line: line), let type = event.knownType, event.content != .unknown else {
            return nil
        }
        self.init(event, of: type, line: line)
    }

    private init(_ event: AgentEvent, of type: EventType, line: [UInt8]) {
        self.init(
            type: type,
            id: event.id,
            sequence: event.sequence,
            time: event.time.description,
            subject: event.subject,
            line: line
        )
        switch event.content {
        case .pathChanged(let change), .reachabilityChanged(let change), .targetChanged(let change):
            (from, to, cause) = (Side(change.from), Side(change.to), change.cause)
        case .uplinkChanged(let change):
            (from, to, cause) = (Side(change.from), Side(change.to), change.cause)
        case .probeChanged(let change):
            (from, to, cause) = (Side(change.from), Side(change.to), change.cause)
            (family, interface) = (change.point.family, change.point.interface)
        default: break
        }
    }
}

extension HookEvent.Side {
    fileprivate init(_ state: ReachabilityState) {
        via = state.via.rawValue
        connectivity = state.connectivity?.rawValue
        reason = state.reason
        interface = state.path.interface
        portalURL = state.portalURL
    }

    fileprivate init(_ uplink: Uplink) {
        connectivity = uplink.connectivity.rawValue
        reason = uplink.reason?.code
        interface = uplink.interface
        portalURL = uplink.reason?.portalURL
        isUsed = uplink.isUsed
        kind = uplink.kind
    }

    fileprivate init(_ probe: ProbeVerdict) {
        portalURL = probe.portalURL
        verdict = probe.verdict
        code = probe.code
    }

    /// The chances of a request.
    var network: RequestNetwork {
        switch connectivity {
        case "full": .online
        case "partial": .partial
        case "unknown": via.map { Via($0).isReachable } ?? false ? .online : .offline
        default: .offline
        }
    }
}

/// The chances of a request, by the state of the default path.
package enum RequestNetwork: Sendable, Hashable {
    /// None: there is no path, nothing answers beyond the next hop, or a portal does.
    case offline
    /// Something answers, or one family works: a request that is not answered proves nothing about its receiver.
    case partial
    /// Connectivity is full, or it is unknown and there is a path.
    case online
}
