/// How soon a probe is due again: the answer of whoever judges its checks.
public enum Cadence: Sendable, Hashable, Codable {
    /// After the interval: the verdict stands.
    case steady
    /// After the fast interval: the verdict is in doubt, or there is none yet.
    case doubtful
    /// After the fast interval, doubled with each attempt up to the ceiling: the target is down.
    ///
    /// The first check after the verdict fell is attempt 0.
    case down(attempt: Int)
    /// After the portal's interval: a captive portal answers.
    case portal
}

/// The intervals of one probe.
public struct ProbePace: Sendable, Hashable, Codable {
    /// The time between two checks while the verdict stands.
    public var interval: Duration
    /// The time to the next check while the verdict is in doubt.
    public var fastInterval: Duration
    /// The longest time between two checks while the target is down.
    public var ceiling: Duration
    /// The time between two checks while a captive portal answers.
    public var portalInterval: Duration

    /// The interval of a probe that says nothing: 60 s.
    public static let standardInterval: Duration = .seconds(60)
    /// The longest fast interval that is chosen by itself: 2 s, as HAProxy's default interval.
    public static let standardFastInterval: Duration = .seconds(2)
    /// The time after which a captive portal is looked at again unless somebody says otherwise: 10 s.
    public static let standardPortalInterval: Duration = .seconds(10)

    /// A pace; what is left out is derived from the interval.
    ///
    /// - Parameters:
    ///   - interval: At least 100 ms; less counts as that.
    ///   - fastInterval: By default 2 s, and never more than the interval.
    ///   - ceiling: By default the interval, and never less than the fast interval.
    ///   - portalInterval: By default 10 s, and never more than the interval.
    public init(
        interval: Duration = ProbePace.standardInterval,
        fastInterval: Duration? = nil,
        ceiling: Duration? = nil,
        portalInterval: Duration? = nil
    ) {
        let interval = max(.milliseconds(100), interval)
        let fast = max(.milliseconds(100), min(interval, fastInterval ?? Self.standardFastInterval))
        self.interval = interval
        self.fastInterval = fast
        self.ceiling = max(fast, ceiling ?? interval)
        self.portalInterval = max(.milliseconds(100), min(interval, portalInterval ?? Self.standardPortalInterval))
    }

    /// The time to the next check; the doubling never overflows.
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
        return fastInterval > ceiling / factor ? ceiling : min(ceiling, fastInterval * factor)
    }
}
