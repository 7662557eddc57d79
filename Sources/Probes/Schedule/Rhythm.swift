internal import CheckResults

/// The times of the rounds of checks: each check at its own phase of the interval, with a little jitter.
///
/// The rounds of the steady interval lie on a grid that depends only on the check's key and the epoch, so a process
/// that restarts, or that rechecks everything at once, returns to the same spread. All randomness comes from the seed,
/// so equal keys have equal rounds.
struct Rhythm {
    /// One occurrence of a check.
    struct Occurrence: Hashable {
        /// The time without jitter, to which the next round is relative: this prevents drift.
        var base: ContinuousClock.Instant
        /// The due time.
        var due: ContinuousClock.Instant
        /// The number of skipped rounds before it.
        var missed: Int
    }

    /// The maximum jitter in either direction, in thousandths of the interval.
    static let jitterPerMille: Int64 = 30
    /// The maximum time between two rounds, whatever the configuration.
    private static let longest: Int64 = 366 * 86_400 * 1_000_000_000
    private static let shortest: Int64 = 1_000_000

    /// The origin of the grids: the same instant for every process of this boot.
    let epoch: ContinuousClock.Instant
    /// The seed of the jitter, different for each process.
    let seed: UInt64

    /// Returns the time between two rounds in nanoseconds; the factor of a costly link applies only to the steady
    /// interval.
    static func interval(_ pace: ProbePace, _ cost: LinkCost, _ cadence: Cadence) -> Int64 {
        let nanoseconds = pace.interval(cadence).clampedNanoseconds
        guard cadence == .steady else { return min(max(shortest, nanoseconds), longest) }
        let (product, isTooLong) = nanoseconds.multipliedReportingOverflow(by: Int64(max(1, cost.intervalFactor)))
        return isTooLong ? longest : min(max(shortest, product), longest)
    }

    /// Returns the hash that determines a check's phase within its interval, the same in every process (FNV-1a).
    static func hash(_ key: CheckKey) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for text in [key.identity, key.vantage.description] {
            for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
            // No UTF-8 string contains this byte, so it separates the strings.
            hash = (hash ^ 0xFF) &* 0x100_0000_01B3
        }
        return mixed(hash)
    }

    /// Returns the first round after another one that is later than now.
    ///
    /// After a round of the steady cadence it is one interval later. After any other round the grid is rejoined: at its
    /// first point that is neither nearer than a fast interval nor farther than an interval and a fast one.
    func next(
        after base: ContinuousClock.Instant,
        pace: ProbePace,
        cost: LinkCost,
        cadence: Cadence,
        hash: UInt64,
        now: ContinuousClock.Instant
    ) -> Occurrence {
        let interval = Self.interval(pace, cost, cadence)
        let start = (base - epoch).clampedNanoseconds
        let present = (now - epoch).clampedNanoseconds
        var earliest = present
        var place = Self.adding(start, interval)
        if cadence == .steady {
            let nearest = Self.adding(start, min(interval / 2, Self.interval(pace, cost, .doubtful)))
            let phase = Int64(hash % UInt64(interval))
            let intoInterval = Self.remainder(Self.adding(nearest, -phase), interval)
            place = Self.adding(nearest, interval - intoInterval)
            earliest = max(present, nearest)
        }
        let behind = Self.adding(present, -place)
        let missed = behind >= 0 ? behind / interval + 1 : 0
        let (past, isTooFar) = missed.multipliedReportingOverflow(by: interval)
        place = Self.adding(place, isTooFar ? 0 : past)
        return Occurrence(
            base: instant(place),
            due: instant(max(earliest, Self.adding(place, jitter(at: place, interval: interval, hash: hash)))),
            missed: Int(clamping: missed)
        )
    }

    /// Returns the jitter of a round: the same for the same check, base and seed.
    private func jitter(at place: Int64, interval: Int64, hash: UInt64) -> Int64 {
        let reach = interval / 1000 * Self.jitterPerMille
        guard reach > 0 else { return 0 }
        let random = Self.mixed(seed ^ hash ^ Self.mixed(UInt64(bitPattern: place)))
        return Int64(random % UInt64(2 * reach + 1)) - reach
    }

    /// Returns a random duration: the same for the same check, instant and seed.
    func random(upTo longest: Duration, hash: UInt64, at moment: ContinuousClock.Instant) -> Duration {
        let reach = UInt64(max(0, longest.clampedNanoseconds))
        let present = Self.mixed(UInt64(bitPattern: (moment - epoch).clampedNanoseconds))
        return .nanoseconds(Int64(Self.mixed(seed ^ hash ^ present) % (reach + 1)))
    }

    private func instant(_ nanoseconds: Int64) -> ContinuousClock.Instant { epoch + .nanoseconds(nanoseconds) }

    private static func adding(_ left: Int64, _ right: Int64) -> Int64 {
        let (sum, isTooFar) = left.addingReportingOverflow(right)
        return isTooFar ? (right < 0 ? .min / 2 : .max / 2) : sum
    }

    /// Returns the remainder of a floored division; `divisor` is positive.
    private static func remainder(_ value: Int64, _ divisor: Int64) -> Int64 {
        let rest = value % divisor
        return rest < 0 ? rest + divisor : rest
    }

    /// Mixes the bits of a number (the finalizer of SplitMix64).
    private static func mixed(_ value: UInt64) -> UInt64 {
        var value = value &+ 0x9E37_79B9_7F4A_7C15
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}

extension Duration {
    /// The duration in whole nanoseconds, clamped to the range of `Int64`.
    var clampedNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !isTooLong else { return seconds < 0 ? .min / 2 : .max / 2 }
        let (sum, isStillTooLong) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        return isStillTooLong ? (seconds < 0 ? .min / 2 : .max / 2) : sum
    }
}
