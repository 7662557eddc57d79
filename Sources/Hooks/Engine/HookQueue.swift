internal import NIOCore

/// When one hook runs, and with what: its events in, its runs out.
///
/// A value without a clock, a thread or a timer: whoever uses it says what time it is, and asks ``wake`` when to come back.
/// Each element that is offered is given out once, or counted as superseded, or waits.
struct HookQueue<Element> {
    typealias Instant = SuspendingClock.Instant

    /// What to begin.
    struct Start {
        var element: Element
        /// When it was offered.
        var offered: Instant
        /// How many were dropped since the last start, because newer ones replaced them.
        var superseded: Int
    }

    /// How a run went, as far as the next ones depend on it.
    enum Ending: Hashable {
        case succeeded
        case failed
        /// Ended by the agent itself: neither a success nor a failure.
        case stopped
    }

    /// The longest debounce; more is no pace but a mistake.
    static var longestDebounce: Duration { .seconds(86_400) }

    private(set) var pace: HookPace
    /// How many runs there are.
    private(set) var running = 0
    /// How many were superseded, all in all.
    private(set) var superseded: UInt64 = 0
    private var supersededSinceStart = 0
    private var backOff = HookBackOff()
    private var elements: CircularBuffer<(element: Element, offered: Instant)> = []
    /// When the first of those came that now wait, the replaced ones included.
    private var firstOffered: Instant?
    private var lastOffered: Instant?

    init(_ pace: HookPace) { self.pace = Self.bounded(pace) }

    /// How many wait.
    var waiting: Int { elements.count }

    /// How many times in a row the hook failed.
    var failures: Int { backOff.failures }

    /// Until when the hook is left alone; nil when it is not.
    var pausedUntil: Instant? { backOff.until }

    /// Whether nothing waits and nothing runs.
    var isIdle: Bool { running == 0 && elements.isEmpty }

    /// Takes an element.
    mutating func offer(_ element: Element, at now: Instant) {
        if elements.isEmpty { firstOffered = now }
        lastOffered = now
        elements.append((element, now))
        trim()
    }

    /// Counts what was dropped before it could be offered.
    mutating func countLost(_ count: Int) { countSuperseded(count) }

    /// The moment from which on there is something to begin if nothing else happens; nil while nothing can begin before
    /// another element is offered or a run ends.
    var wake: Instant? {
        guard !elements.isEmpty, running < pace.concurrency, let firstOffered, let lastOffered else { return nil }
        let quiet = lastOffered.advanced(by: pace.debounce)
        let latest = firstOffered.advanced(by: pace.debounce * 3)
        let settled = min(quiet, latest)
        return backOff.until.map { max($0, settled) } ?? settled
    }

    /// Whether there is something to begin.
    func isDue(at now: Instant) -> Bool { wake.map { $0 <= now } ?? false }

    /// What to begin now, if anything: it counts as running from here on.
    mutating func next(at now: Instant) -> Start? {
        guard isDue(at: now), let first = elements.popFirst() else { return nil }
        running += 1
        firstOffered = elements.first?.offered
        defer { supersededSinceStart = 0 }
        return Start(element: first.element, offered: first.offered, superseded: supersededSinceStart)
    }

    /// A run is over.
    mutating func ended(_ ending: Ending, at now: Instant) {
        running = max(0, running - 1)
        backOff.ended(ending, at: now)
    }

    /// Begins anew, at another pace: failures are forgotten, and of what waits only what is still wanted is kept.
    ///
    /// What runs keeps its place.
    mutating func restart(_ pace: HookPace, keeping isWanted: (Element) -> Bool) {
        self.pace = Self.bounded(pace)
        backOff = HookBackOff()
        superseded = 0
        supersededSinceStart = 0
        let kept = elements.filter { isWanted($0.element) }
        elements = CircularBuffer(kept)
        firstOffered = elements.first?.offered
        trim()
    }

    /// Drops all that waits.
    mutating func withdraw() {
        elements.removeAll()
        firstOffered = nil
        supersededSinceStart = 0
    }

    private mutating func trim() {
        let most =
            switch pace.queue {
            case .latest: 1
            case .all: HookPace.mostWaiting
            }
        while elements.count > most {
            _ = elements.popFirst()
            countSuperseded(1)
        }
        if pace.queue == .all { firstOffered = elements.first?.offered }
    }

    private mutating func countSuperseded(_ count: Int) {
        supersededSinceStart = Int(clamping: UInt64(clamping: supersededSinceStart) &+ UInt64(clamping: count))
        superseded = superseded.addingReportingOverflow(UInt64(clamping: count)).partialValue
    }

    private static func bounded(_ pace: HookPace) -> HookPace {
        var pace = pace
        pace.concurrency = max(1, pace.concurrency)
        pace.debounce = max(.zero, min(pace.debounce, longestDebounce))
        return pace
    }
}

extension HookQueue: Sendable where Element: Sendable {}
extension HookQueue.Start: Sendable where Element: Sendable {}
