internal import CheckResults

/// The evaluation of a probe's checks, and its vantages; the scheduler has the check itself.
public struct ProbeRule: Sendable, Hashable, Codable {
    /// The interfaces of a probe.
    public enum Interfaces: Sendable, Hashable, Codable {
        /// The path that the kernel selects.
        case `default`
        /// The path that the kernel selects, and each interface with a default route.
        case each
        /// Each interface with one of these names, its own or alternative ones, and each uplink of one of these kinds.
        case matching([String])
    }

    /// The address families of a probe.
    public enum Families: String, Sendable, Hashable, CaseIterable, Codable {
        /// Once, in the family that answers first.
        case any
        /// Once in each family that has a path.
        case each
        /// IPv4 only.
        case ipv4
        /// IPv6 only.
        case ipv6
    }

    /// The name of the built-in check of next hops, which no other probe has.
    ///
    /// It has a point for each uplink and family with a gateway, and never affects the connectivity: a gateway that
    /// answers proves nothing about the Internet, and one that does not answer may still forward packets.
    public static let firstHopName = "first-hop"

    /// The probe's name.
    public var name: String
    /// `true` if the connectivity depends on the probe.
    public var isRequired: Bool
    /// `true` for a portal check: an HTTP request with a known response on the open Internet.
    public var isPortalCheck: Bool
    /// `true` for a probe over TLS: its failures are compared with the result of portal checks.
    public var usesTLS: Bool
    /// The number of consecutive failures that make the probe down.
    public var fall: Int
    /// The number of consecutive successes that make the probe up again.
    public var rise: Int
    /// The good and the bad latency.
    public var latency: DeadBand?
    /// The good and the bad share of failed checks, in percent.
    public var loss: DeadBand?
    /// The number of checks over which the loss is measured.
    public var lossWindow: Int
    /// The evaluation of transfers; nil for a probe whose checks are not transfers.
    public var transfer: TransferRule?
    /// The interfaces.
    public var interfaces: Interfaces
    /// The address families.
    public var families: Families
    /// The thresholds of expiring certificates.
    public var expiry: ExpiryPolicy
    /// A number that stands for the check itself: with another one, earlier results are those of another check.
    public var check: UInt32?

    /// Creates a rule; counts below 1 count as 1.
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
        transfer: TransferRule? = nil,
        interfaces: Interfaces = .default,
        families: Families = .each,
        expiry: ExpiryPolicy = ExpiryPolicy(),
        check: UInt32? = nil
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
        self.transfer = transfer
        self.interfaces = interfaces
        self.families = families
        self.expiry = expiry
        self.check = check
    }
}

extension ProbeRule {
    /// `true` for the check of next hops.
    var isFirstHop: Bool { name == Self.firstHopName }

    /// `true` for probes that do not affect the connectivity, whatever their verdicts.
    ///
    /// The verdict of a transfer is hours old: as evidence that TLS works it would hide an interception.
    var isApart: Bool { isFirstHop || transfer != nil }

    /// `true` if a success is an answer from beyond the first hop that is evidence about the connectivity.
    ///
    /// A network's statement about itself (RFC 8908) is none.
    var reachesBeyond: Bool { !isApart && !(isPortalCheck && usesTLS) }
}

/// Two thresholds with a band between them in which a measurement has no effect.
public struct DeadBand: Sendable, Hashable, Codable {
    /// The maximum good value: milliseconds of latency, or percent of loss.
    public var good: Double
    /// The minimum bad value.
    public var bad: Double

    /// Creates a band; `nil` unless both are finite and not negative, and `good` is below `bad`.
    public init?(good: Double, bad: Double) {
        guard good.isFinite, bad.isFinite, 0 <= good, good < bad else { return nil }
        self.good = good
        self.bad = bad
    }
}

/// The thresholds of expiring certificates.
public struct ExpiryPolicy: Sendable, Hashable, Codable {
    /// Thresholds in percent of the lifetime left, the largest first.
    public var lifetimePercents: [Int]
    /// Thresholds in days left, the largest first.
    public var days: [Int]

    /// Creates a policy; by default 30 % and 10 % of the lifetime, and 7 and 1 days.
    public init(lifetimePercents: [Int] = [30, 10], days: [Int] = [7, 1]) {
        self.lifetimePercents = lifetimePercents.sorted(by: >)
        self.days = days.sorted(by: >)
    }

    /// Returns the thresholds after which a certificate is a problem, and not only announced: the last percentage, and
    /// the days.
    ///
    /// The percentages are for the server's own certificate alone. Those of an authority live for years, and the
    /// operator of the server cannot renew them.
    ///
    /// - Parameter position: The certificate's position in the server's chain; 0 is the server's own.
    func urgent(at position: Int) -> ExpiryPolicy {
        ExpiryPolicy(lifetimePercents: position == 0 ? lifetimePercents.suffix(1) : [], days: days)
    }
}

/// The number of required probes that must be up.
public enum Quorum: Sendable, Hashable, Codable {
    /// All of them.
    case all
    /// At least this number, or all if there are fewer.
    case atLeast(Int)
}

/// The evaluation of a probe's transfers.
///
/// A transfer is made only while the connectivity is full, and never affects it: a slow link is not a lost one.
public struct TransferRule: Sendable, Hashable, Codable {
    /// The good and the bad throughput: of the download, or of the upload if there is no download.
    public var throughput: ThroughputBand?
    /// The good and the bad latency that load adds, in milliseconds; of two directions the worse one counts.
    public var addedLatency: DeadBand?

    /// Creates a rule.
    public init(throughput: ThroughputBand? = nil, addedLatency: DeadBand? = nil) {
        self.throughput = throughput
        self.addedLatency = addedLatency
    }
}

/// Two thresholds of throughput with a band between them in which a measurement has no effect.
public struct ThroughputBand: Sendable, Hashable, Codable {
    /// The minimum good throughput, in bits per second.
    public var good: Double
    /// The maximum bad throughput, in bits per second.
    public var bad: Double

    /// Creates a band; `nil` unless both are finite and not negative, and `good` is above `bad`.
    public init?(good: Double, bad: Double) {
        guard good.isFinite, bad.isFinite, 0 <= bad, bad < good else { return nil }
        self.good = good
        self.bad = bad
    }
}

extension TransferRule {
    /// Returns the vote of a transfer: its own result, unless a measurement overrides it.
    ///
    /// A quantity that was not measured, such as the throughput of an object that arrived too quickly, overrides
    /// nothing.
    func vote(_ own: ProbeTrack.Vote, of sample: ProbeSample) -> ProbeTrack.Vote {
        let isSlow = throughput.flatMap { band in sample.throughput.map { $0 <= band.bad } } ?? false
        // Too slow for the requested bytes: the throughput is the reason, and the timeout only its consequence.
        if own == .failure(.timeout), isSlow { return .failure(.throughputLow) }
        guard own == .success else { return own }
        if isSlow { return .failure(.throughputLow) }
        let added = sample.addedLatency.map { $0 / .milliseconds(1) }
        if let addedLatency, let added, added >= addedLatency.bad { return .failure(.addedLatencyHigh) }
        if let throughput, let rate = sample.throughput, rate < throughput.good { return .none }
        if let addedLatency, let added, added > addedLatency.good { return .none }
        return own
    }
}
