public import EventEnvelope

/// What an event says, as far as hooks are interested.
public struct HookEvent: Sendable, Hashable {
    /// One side of a transition.
    public struct Side: Sendable, Hashable {
        /// The `via`.
        public var via: String?
        /// The `connectivity`.
        public var connectivity: String?
        /// Why there is no path.
        public var reason: String?
        /// The interface that the path leads through.
        public var interface: String?
        /// Where a person logs in.
        public var portalURL: String?
        /// Whether the default path leads through the uplink.
        public var isUsed: Bool?
        /// The uplink's kind.
        public var kind: String?
        /// A probe's verdict.
        public var verdict: String?
        /// Why a probe is not up.
        public var code: String?

        /// A side that says nothing.
        public init() {}
    }

    /// What brought an event about.
    public struct Cause: Sendable, Hashable {
        /// The kind.
        public var kind: String
        /// The code.
        public var code: String
        /// The interface concerned.
        public var interface: String?
        /// A few words for people.
        public var detail: String?

        /// A cause.
        public init(kind: String, code: String, interface: String? = nil, detail: String? = nil) {
            self.kind = kind
            self.code = code
            self.interface = interface
            self.detail = detail
        }
    }

    /// The type.
    public var type: EventType
    /// The envelope's `id`.
    public var id: String
    /// The number.
    public var sequence: UInt64?
    /// The envelope's `time`, as it was written.
    public var time: String
    /// The subject.
    public var subject: String
    /// Before.
    public var from = Side()
    /// After.
    public var to = Side()
    /// What brought it about.
    public var cause: Cause?
    /// `ipv4` or `ipv6`, where the event concerns one family.
    public var family: String?
    /// The interface that a probe is bound to.
    public var interface: String?
    /// The whole line, without its end.
    public var line: [UInt8]

    /// The target's name; nil when the event is of the default path, of a probe or of the agent.
    public var target: String? {
        switch type {
        case .targetChanged: subject
        case .pathChanged: subject == "default" ? nil : subject
        default: nil
        }
    }

    /// The uplink's interface.
    public var uplink: String? { type == .uplinkChanged ? subject : nil }

    /// The probe's name.
    public var probe: String? { type == .probeChanged || type == .certificateExpiring ? subject : nil }

    /// Whether it is the state that the agent found when it started.
    public var isInitial: Bool { cause?.kind == "start" }
}
