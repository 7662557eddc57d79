/// The cause of a change.
public struct ChangeCause: Codable, Sendable, Hashable {
    /// The kind of thing that changed, such as `link`, `route` or `probe`.
    public var kind: String
    /// The code of the reason or of the change.
    public var code: String
    /// The interface concerned.
    public var interface: String?
    /// The particulars, for people.
    public var detail: String?

    /// A cause.
    public init(kind: String, code: String, interface: String? = nil, detail: String? = nil) {
        self.kind = kind
        self.code = code
        self.interface = interface
        self.detail = detail
    }
}

/// A change of a path, of the machine's reachability or of a target's.
public struct StateChange: Codable, Sendable, Hashable {
    /// The state before.
    public var from: ReachabilityState
    /// The state after.
    public var to: ReachabilityState
    /// The cause.
    public var cause: ChangeCause
    /// The moment at which the agent saw the change.
    public var observed: Timestamp
    /// The settle time that it has held, in milliseconds; `nil` for a raw change of a path.
    public var settledMilliseconds: Int64?

    private enum CodingKeys: String, CodingKey {
        case from, to, cause, observed
        case settledMilliseconds = "settled_ms"
    }

    /// A change.
    public init(
        from: ReachabilityState,
        to: ReachabilityState,
        cause: ChangeCause,
        observed: Timestamp,
        settledMilliseconds: Int64? = nil
    ) {
        self.from = from
        self.to = to
        self.cause = cause
        self.observed = observed
        self.settledMilliseconds = settledMilliseconds
    }
}
