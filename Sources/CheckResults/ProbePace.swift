/// The urgency of a probe's next check, as decided by the judge of its checks.
public enum Cadence: Sendable, Hashable, Codable {
    /// The next check follows after the interval: the verdict is stable.
    case steady
    /// The next check follows after the fast interval: the verdict is in doubt, or there is none yet.
    case doubtful
    /// The next check follows after the fast interval, doubled with each attempt up to the maximum: the target is down.
    ///
    /// The first check after the verdict changed to down is attempt 0.
    case down(attempt: Int)
    /// The next check follows after the portal interval: a captive portal answers.
    case portal
}

/// The intervals of one probe, at least 100 ms each: a shorter one would flood its target.
public struct ProbePace: Sendable, Hashable {
    /// The time between two checks while the verdict is stable.
    public var interval: Duration { didSet { interval = max(Self.shortest, interval) } }
    /// The time to the next check while the verdict is in doubt.
    public var fastInterval: Duration { didSet { fastInterval = max(Self.shortest, fastInterval) } }
    /// The longest time between two checks while the target is down.
    public var maximumBackoff: Duration { didSet { maximumBackoff = max(Self.shortest, maximumBackoff) } }
    /// The time between two checks while a captive portal answers.
    public var portalInterval: Duration { didSet { portalInterval = max(Self.shortest, portalInterval) } }

    private static let shortest: Duration = .milliseconds(100)

    /// The default interval: 60 s.
    public static let standardInterval: Duration = .seconds(60)
    /// The maximum of the default fast interval: 2 s, HAProxy's default interval.
    public static let standardFastInterval: Duration = .seconds(2)
    /// The default interval of checks behind a captive portal: 10 s.
    public static let standardPortalInterval: Duration = .seconds(10)

    /// Creates a pace; omitted values are derived from the interval.
    ///
    /// - Parameters:
    ///   - interval: By default 60 s.
    ///   - fastInterval: By default 2 s, and never more than the interval.
    ///   - maximumBackoff: By default the interval, and never less than the fast interval.
    ///   - portalInterval: By default 10 s, and never more than the interval.
    public init(
        interval: Duration = ProbePace.standardInterval,
        fastInterval: Duration? = nil,
        maximumBackoff: Duration? = nil,
        portalInterval: Duration? = nil
    ) {
        let interval = max(Self.shortest, interval)
        let fast = max(Self.shortest, min(interval, fastInterval ?? Self.standardFastInterval))
        self.interval = interval
        self.fastInterval = fast
        self.maximumBackoff = max(fast, maximumBackoff ?? interval)
        self.portalInterval = max(Self.shortest, min(interval, portalInterval ?? Self.standardPortalInterval))
    }

    /// Returns the time to the next check; the doubling never overflows.
    public func interval(_ cadence: Cadence) -> Duration {
        switch cadence {
        case .steady: interval
        case .doubtful: fastInterval
        case .down(let attempt): doubled(min(max(0, attempt), 20))
        case .portal: portalInterval
        }
    }

    private func doubled(_ times: Int) -> Duration {
        let factor = 1 << times
        return fastInterval > maximumBackoff / factor ? maximumBackoff : min(maximumBackoff, fastInterval * factor)
    }
}
