/// One lookup of a name in one address family.
public struct LookupReport: Sendable, Hashable {
    /// The address family.
    public var family: HostAddress.Family
    /// The start of the lookup, relative to the start of the check.
    public var start: Duration
    /// The time until the answer.
    public var duration: Duration
    /// The addresses, in the resolver's order.
    public var addresses: [String]
    /// The failure; nil when there are addresses.
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
