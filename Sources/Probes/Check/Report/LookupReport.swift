/// One lookup of a name in one family of addresses.
public struct LookupReport: Sendable, Hashable {
    /// The family that was asked for.
    public var family: HostAddress.Family
    /// When it was started, from the check's beginning.
    public var start: Duration
    /// How long the answer took.
    public var duration: Duration
    /// The addresses, in the resolver's order.
    public var addresses: [String]
    /// Why there are none; nil when there are.
    public var failure: Finding?

    /// Creates a report.
    public init(
        family: HostAddress.Family,
        start: Duration,
        duration: Duration,
        addresses: [String] = [],
        failure: Finding? = nil
    ) {
        self.family = family
        self.start = start
        self.duration = duration
        self.addresses = addresses
        self.failure = failure
    }
}
