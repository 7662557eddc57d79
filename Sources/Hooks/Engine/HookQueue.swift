internal import AgentEvents
internal import NIOCore

/// The queue of one hook, which decides when it runs, and for which event.
///
/// A value without a clock, a thread or a timer: the caller passes the time, and reads ``wake`` for the next call. Each
/// offered element is returned once, counted as superseded, or still queued.
struct HookQueue<Element> {
    typealias Instant = SuspendingClock.Instant

    /// A run to start, or one that is dropped instead.
    struct Start {
        var element: Element
        /// The time of the offer.
        var offered: Instant
        /// The number of elements dropped since the last start, because newer ones replaced them.
        var superseded: Int
        /// The number of the offer, which an element that is put back keeps.
        var number: UInt64 = 0
    }

    /// The end of a run, in the categories that affect later runs.
    enum Ending: Hashable {
        case succeeded
        case failed
        /// Ended by the agent itself: neither a success nor a failure.
        case stopped
    }

    /// The maximum debounce time; a longer one is considered a mistake.
    static var longestDebounce: Duration { .seconds(86_400) }

    private(set) var pace: HookPace
    /// The number of current runs.
    private(set) var running = 0
    /// The total number of superseded elements.
    private(set) var superseded: UInt64 = 0
    private var supersededSinceStart = 0
    private var backOff = HookBackOff()
    private var elements: CircularBuffer<(number: UInt64, element: Element, offered: Instant)> = []
    private var lastNumber: UInt64 = 0
    /// The time of the first of the queued elements, including replaced ones.
    private var firstOffered: Instant?
    private var lastOffered: Instant?

    init(_ pace: HookPace) { self.pace = Self.bounded(pace) }

    /// The number of queued elements.
    var waiting: Int { elements.count }

    /// The number of consecutive failures.
    var failures: Int { backOff.failures }

    /// The end of the current pause; nil if there is none.
    var pausedUntil: Instant? { backOff.until }

    /// `true` if nothing is queued or running.
    var isIdle: Bool { running == 0 && elements.isEmpty }

    /// Adds an element.
    mutating func offer(_ element: Element, at now: Instant) {
        if elements.isEmpty { firstOffered = now }
        lastOffered = now
        lastNumber &+= 1
        elements.append((lastNumber, element, now))
        trim()
    }

    /// Counts elements that were dropped before they could be offered.
    mutating func countLost(_ count: Int) { countSuperseded(count) }

    /// The time from which a run may start if nothing else happens; nil if a run needs another element or the end of a
    /// current run first.
    var wake: Instant? {
        guard !elements.isEmpty, running < pace.concurrency, let firstOffered, let lastOffered else { return nil }
        let quiet = lastOffered.advanced(by: pace.debounce)
        let latest = firstOffered.advanced(by: pace.debounce * 3)
        let settled = min(quiet, latest)
        return backOff.until.map { max($0, settled) } ?? settled
    }

    /// Returns whether a run may start.
    func isDue(at now: Instant) -> Bool { wake.map { $0 <= now } ?? false }

    /// Returns the run to start now, if any, and counts it as running.
    mutating func next(at now: Instant) -> Start? {
        guard isDue(at: now), let first = elements.popFirst() else { return nil }
        running += 1
        firstOffered = elements.first?.offered
        defer { supersededSinceStart = 0 }
        return Start(
            element: first.element,
            offered: first.offered,
            superseded: supersededSinceStart,
            number: first.number
        )
    }

    /// Records the end of a run.
    ///
    /// - Parameter pause: The pause that the next run must make in any case; nil for none.
    mutating func ended(_ ending: Ending, at now: Instant, pause: Duration? = nil) {
        running = max(0, running - 1)
        backOff.ended(ending, at: now)
        if let pause { backOff.pause(until: now.advanced(by: pause)) }
    }

    /// Puts back an element that a run has not used.
    ///
    /// It waits in the order of the offers: runs may end in any order, and the newest element must not be taken for an older
    /// one.
    mutating func putBack(_ start: Start) {
        let place = elements.firstIndex { $0.number > start.number } ?? elements.endIndex
        elements.insert((start.number, start.element, start.offered), at: place)
        firstOffered = firstOffered.map { min($0, start.offered) } ?? start.offered
        if lastOffered == nil { lastOffered = start.offered }
        countSuperseded(start.superseded)
        trim()
    }

    /// Restarts at another pace: failures are reset, and only queued elements that are still needed are kept.
    ///
    /// Current runs continue.
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

    /// Drops all queued elements.
    ///
    /// - Returns: The newest of them, with the number of those dropped before it; nil if nothing was queued.
    @discardableResult
    mutating func withdraw() -> Start? {
        let newest = elements.popLast()
        countSuperseded(elements.count)
        defer {
            elements.removeAll()
            firstOffered = nil
            supersededSinceStart = 0
        }
        return newest.map { Start(element: $0.element, offered: $0.offered, superseded: supersededSinceStart) }
    }

    private mutating func trim() {
        let maximum =
            switch pace.queue {
            case .latest: 1
            case .all: HookPace.maximumWaiting
            }
        while elements.count > maximum {
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

/// The backoff of a hook that fails repeatedly.
struct HookBackOff: Sendable, Hashable {
    /// The number of consecutive failures.
    private(set) var failures = 0
    /// The end of the current pause.
    private(set) var until: SuspendingClock.Instant?

    /// The maximum pause.
    static let longest = Duration.seconds(300)

    /// Returns the pause after a number of consecutive failures: none at first, then 1 s, 2 s, 4 s … 300 s.
    static func pause(after failures: Int) -> Duration? {
        let extra = failures - AgentStatus.HookStatus.repeatedFailures
        guard extra >= 0 else { return nil }
        return extra >= 9 ? longest : min(longest, .seconds(1 << extra))
    }

    /// Pauses at least until then.
    mutating func pause(until end: SuspendingClock.Instant) { until = until.map { max($0, end) } ?? end }

    /// Records the end of a run.
    mutating func ended<Element>(_ ending: HookQueue<Element>.Ending, at now: SuspendingClock.Instant) {
        switch ending {
        case .succeeded: self = HookBackOff()
        case .failed:
            if failures < Int.max { failures += 1 }
            until = Self.pause(after: failures).map { now.advanced(by: $0) }
        case .stopped: break
        }
    }
}
