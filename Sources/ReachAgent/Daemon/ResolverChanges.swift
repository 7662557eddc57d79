/// Decides when the resolver's files are read after a reported change, and whether what they say has changed.
///
/// Pure. However often the files are written, they are read at most once a second, and the time between two changes that
/// count doubles while they continue: each of them restarts checks, which must still be able to complete.
struct ResolverChanges: Sendable {
    /// The content of each file; `nil` for one that cannot be read.
    typealias Contents = [[UInt8]?]
    typealias Instant = ContinuousClock.Instant

    /// The time for which a change settles: several files are written one after the other, or a file in several steps.
    static let settling: Duration = .milliseconds(100)
    /// The minimum time between two readings.
    static let shortestPause: Duration = .seconds(1)
    /// The minimum time between two changes that count while they continue; most checks have completed by then.
    static let longestPause: Duration = .seconds(32)

    private var known: Contents?
    private var lastChange: Instant?
    private var pause = shortestPause
    private var nextReading: Instant?

    /// Returns the time of the reading that follows a report.
    func readingTime(reported now: Instant) -> Instant { max(now + Self.settling, nextReading ?? now) }

    /// Takes the contents that were read, and returns whether they have changed; the first ones have not.
    mutating func take(_ contents: Contents, at now: Instant) -> Bool {
        defer { known = contents }
        guard let known else { return false }
        guard contents != known else {
            nextReading = now + Self.shortestPause
            return false
        }
        let continues = lastChange.map { now - $0 <= pause * 2 } ?? false
        pause = continues ? min(pause * 2, Self.longestPause) : Self.shortestPause
        (lastChange, nextReading) = (now, now + pause)
        return true
    }
}
