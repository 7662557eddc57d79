/// How a probe's checks are judged, and from where it is made; what is asked is the scheduler's business.
public struct ProbeRule: Sendable, Hashable, Codable {
    /// Over which interfaces a probe is made.
    public enum Interfaces: Sendable, Hashable, Codable {
        /// Over the path that the kernel chooses.
        case `default`
        /// Over the path that the kernel chooses, and besides bound to each interface that has a default route.
        case each
        /// Bound to each interface with one of these names or kinds that has a default route.
        case matching([String])
    }

    /// In which families a probe is made.
    public enum Families: String, Sendable, Hashable, CaseIterable, Codable {
        /// Once, in whichever family answers first.
        case any
        /// Once in each family that has a path.
        case each
        /// In IPv4 alone.
        case ipv4
        /// In IPv6 alone.
        case ipv6
    }

    /// The probe's name.
    public var name: String
    /// Whether the state's connectivity depends on it.
    public var isRequired: Bool
    /// Whether it looks for captive portals: an HTTP request that the open Internet answers in a known way.
    public var isPortalCheck: Bool
    /// Whether it goes over TLS: together with a portal check that is open, its failure has a meaning of its own.
    public var usesTLS: Bool
    /// How many failures in a row make it down.
    public var fall: Int
    /// How many successes in a row make it up again.
    public var rise: Int
    /// The latencies that count as good and as bad.
    public var latency: DeadBand?
    /// The share of failed checks, in percent, that counts as good and as bad.
    public var loss: DeadBand?
    /// Over how many of the last checks the loss is counted.
    public var lossWindow: Int
    /// Over which interfaces it is made.
    public var interfaces: Interfaces
    /// In which families it is made.
    public var families: Families
    /// When a certificate that it sees counts as expiring.
    public var expiry: ExpiryPolicy

    /// A rule; counts below 1 count as 1.
    public init(
        name: String,
        isRequired: Bool = true,
        isPortalCheck: Bool = false,
        usesTLS: Bool = true,
        fall: Int = 3,
        rise: Int = 2,
        latency: DeadBand? = nil,
        loss: DeadBand? = nil,
        lossWindow: Int = 20,
        interfaces: Interfaces = .default,
        families: Families = .each,
        expiry: ExpiryPolicy = ExpiryPolicy()
    ) {
        self.name = name
        self.isRequired = isRequired
        self.isPortalCheck = isPortalCheck
        self.usesTLS = usesTLS
        self.fall = max(1, fall)
        self.rise = max(1, rise)
        self.latency = latency
        self.loss = loss
        self.lossWindow = max(1, lossWindow)
        self.interfaces = interfaces
        self.families = families
        self.expiry = expiry
    }
}

/// Two thresholds with a band between them in which a measurement says nothing.
public struct DeadBand: Sendable, Hashable, Codable {
    /// At most this is good: milliseconds of latency, or percent of loss.
    public var good: Double
    /// At least this is bad.
    public var bad: Double

    /// A band; `nil` unless both are finite and not negative, and `good` is below `bad`.
    public init?(good: Double, bad: Double) {
        guard good.isFinite, bad.isFinite, 0 <= good, good < bad else { return nil }
        self.good = good
        self.bad = bad
    }
}

/// When a certificate counts as expiring.
public struct ExpiryPolicy: Sendable, Hashable, Codable {
    /// Parts of the lifetime that are left, in percent, the largest first.
    public var lifetimePercents: [Int]
    /// Days that are left, the largest first.
    public var days: [Int]

    /// A policy; by default 30 % and 10 % of the lifetime, and 7 and 1 days.
    public init(lifetimePercents: [Int] = [30, 10], days: [Int] = [7, 1]) {
        self.lifetimePercents = lifetimePercents.sorted(by: >)
        self.days = days.sorted(by: >)
    }
}

/// How many of the required probes have to be up.
public enum Quorum: Sendable, Hashable, Codable {
    /// All of them.
    case all
    /// At least so many, or all when there are fewer.
    case atLeast(Int)
}
