public import FoundationEssentials
internal import Synchronization

/// A wall clock that stands still until a test moves it, in either direction.
public final class ManualDate: Sendable {
    private let date: Mutex<Date>

    /// Creates a clock that shows `date`.
    public init(_ date: Date = TestDate.present) { self.date = Mutex(date) }

    /// The current date; setting it moves the clock.
    public var now: Date {
        get { date.withLock { $0 } }
        set { date.withLock { $0 = newValue } }
    }

    /// Moves the clock by `duration`, which may be negative.
    public func advance(by duration: Duration) {
        let (seconds, attoseconds) = duration.components
        date.withLock { $0 += Double(seconds) + Double(attoseconds) / 1e18 }
    }
}
