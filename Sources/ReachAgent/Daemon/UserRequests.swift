internal import ServiceSupport
internal import Synchronization

/// The requests of one kind that each user may make: a few at once, and then some in each second.
///
/// However few connections a check makes (``ProbeScheduler/request(_:)``) and however many reloads share one reading,
/// each costs time, and users share the agent's.
final class UserRequests: Sendable {
    /// The most users whose requests are remembered.
    private static let maximumUsers = 1024

    /// A user's requests that may come at once.
    let burst: Int
    /// The number that may come in each second after that.
    let perSecond: Double
    private let buckets = Mutex<[UInt32: TokenBucket]>([:])

    init(burst: Int, perSecond: Double) {
        self.burst = burst
        self.perSecond = perSecond
    }

    /// The checks on request.
    static func checks() -> UserRequests { UserRequests(burst: 20, perSecond: 2) }

    /// The reloads on request.
    static func reloads() -> UserRequests { UserRequests(burst: 10, perSecond: 0.5) }

    /// Counts a request of a user.
    ///
    /// - Returns: The time after which to try again when it is one too many; `nil` when it may be answered.
    func delay(of user: UInt32, at now: ContinuousClock.Instant = .now) -> Duration? {
        buckets.withLock { buckets in
            if buckets[user] == nil, buckets.count >= Self.maximumUsers {
                buckets = buckets.filter { !$0.value.isFull(at: now) }
                guard buckets.count < Self.maximumUsers else { return .seconds(1) }
            }
            var bucket = buckets[user] ?? TokenBucket(capacity: burst, perSecond: perSecond)
            defer { buckets[user] = bucket }
            return bucket.take(at: now) ? nil : bucket.delay(at: now)
        }
    }
}
