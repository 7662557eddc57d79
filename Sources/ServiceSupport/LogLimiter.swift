internal import CommandText
internal import Logging

/// The choice of messages that are written, so that neither a repeated one nor a flood of different ones fills a log.
///
/// Two bounds: one for messages that are alike, and one for all together, of which errors have one of their own, so
/// that no flood of lesser messages takes their place. Suppressed messages are counted, and the count is logged: when a
/// message comes after the time is over, and at the end. No timer is needed for that, and no thread wakes up.
///
/// Messages below `info` always pass: a user who enables them wants them all.
package struct LogLimiter: Sendable {
    /// The bounds.
    package struct Limits: Sendable {
        /// The number of messages that are alike and pass in one ``window``.
        var alike = 10
        /// The time in which they are counted together.
        var window: Duration = .seconds(300)
        /// The number of messages that pass at once.
        var burst = 500
        /// The number that pass in the long run.
        var perSecond: Double = 1
        /// The time between two reports of a flood while it lasts.
        var telling: Duration = .seconds(60)
        /// The number of different messages remembered; those beyond are bounded by the flood's limit only.
        var maximumRemembered = 256

        /// The usual bounds.
        package init() {}
    }

    /// A message as it is to be written.
    struct Message: Sendable, Equatable {
        var level: Logger.Level
        var text: String
    }

    private struct Likeness: Hashable {
        let level: Logger.Level
        let shape: [UInt8]
    }

    private struct Series: Comparable {
        let number: Int
        let first: Message
        let end: ContinuousClock.Instant
        var passed = 0
        var held = 0

        static func < (left: Series, right: Series) -> Bool { left.number < right.number }
    }

    private let limits: Limits
    private var series: [Likeness: Series] = [:]
    private var seriesCount = 0
    /// The end of the first series.
    private var nextEnd: ContinuousClock.Instant?
    private var routine: TokenBucket
    private var serious: TokenBucket
    /// The messages held back by the flood's limit and not reported yet.
    private var flooded: [Logger.Level: Int] = [:]
    private var reportedFlood: ContinuousClock.Instant?

    init(_ limits: Limits = Limits()) {
        self.limits = limits
        routine = TokenBucket(capacity: limits.burst, perSecond: limits.perSecond)
        serious = routine
    }

    /// Takes a message.
    ///
    /// - Returns: The messages to write now, in order: this one if it passes, and reports about suppressed ones.
    mutating func take(_ message: Message, at now: ContinuousClock.Instant) -> [Message] {
        guard message.level >= .info else { return [message] }
        var written = overdue(at: now)
        let likeness = Likeness(level: message.level, shape: Self.shape(of: message.text))
        if let held = series[likeness]?.passed, held >= limits.alike {
            series[likeness]?.held += 1
            return written
        }
        guard message.level >= .error ? serious.take(at: now) : routine.take(at: now) else {
            flooded[message.level, default: 0] += 1
            if reportedFlood == nil {
                reportedFlood = now
                written.append(
                    Message(level: .warning, text: "too many messages: most that follow are held back and counted")
                )
            }
            return written
        }
        written += flood(at: now)
        written.append(message)
        if remember(message, likeness, now) == limits.alike {
            let time = DurationText.coarse(limits.window)
            written.append(
                Message(level: message.level, text: "more messages like this one are held back for \(time) and counted")
            )
        }
        return written
    }

    /// Returns the reports that are still due, for the end or on request.
    mutating func rest() -> [Message] {
        let counts = series.values.filter { $0.held > 0 }.sorted().map(Self.count)
        for (likeness, entry) in series where entry.held > 0 { series[likeness]?.held = 0 }
        defer { flooded = [:] }
        return counts + (flooded.isEmpty ? [] : [Self.count(flooded)])
    }

    /// Counts a message that passed, and returns the number of similar messages that have passed.
    private mutating func remember(
        _ message: Message,
        _ likeness: Likeness,
        _ now: ContinuousClock.Instant
    ) -> Int {
        if series[likeness] == nil {
            guard series.count < limits.maximumRemembered else { return 0 }
            let end = now.advanced(by: limits.window)
            seriesCount += 1
            series[likeness] = Series(number: seriesCount, first: message, end: end)
            nextEnd = nextEnd ?? end
        }
        series[likeness]?.passed += 1
        return series[likeness]?.passed ?? 0
    }

    // MARK: Reports

    /// Removes the series that have ended, and returns messages about what was held back of them.
    private mutating func overdue(at now: ContinuousClock.Instant) -> [Message] {
        guard let end = nextEnd, end <= now else { return [] }
        let over = series.values.filter { $0.end <= now && $0.held > 0 }.sorted()
        series = series.filter { $0.value.end > now }
        nextEnd = series.values.map(\.end).min()
        return over.map(Self.count)
    }

    /// Reports a flood, but not with every message that passes while it lasts.
    private mutating func flood(at now: ContinuousClock.Instant) -> [Message] {
        guard let told = reportedFlood, told.advanced(by: limits.telling) <= now else { return [] }
        guard !flooded.isEmpty else {
            reportedFlood = nil
            return []
        }
        reportedFlood = now
        defer { flooded = [:] }
        return [Self.count(flooded)]
    }

    private static func count(_ series: Series) -> Message {
        let what = series.held == 1 ? "1 more message like this was" : "\(series.held) more messages like this were"
        return Message(level: series.first.level, text: "\(what) held back: \(series.first.text)")
    }

    private static func count(_ flooded: [Logger.Level: Int]) -> Message {
        let total = flooded.values.reduce(0, +)
        let parts = flooded.sorted { $0.key > $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
        let what = total == 1 ? "1 message was" : "\(total) messages were"
        let worst = flooded.keys.max() ?? .warning
        return Message(level: max(.warning, worst), text: "\(what) held back, for there were too many (\(parts))")
    }

    // MARK: What is alike

    /// The most bytes of a message that are compared.
    private static let maximumCompared = 512

    /// A message without its figures: `failed (exit 1) in 12 ms` is `failed (exit #) in # ms`.
    ///
    /// Only a number that is a word of its own makes no difference; those in names and addresses do.
    static func shape(of text: String) -> [UInt8] {
        var shape: [UInt8] = []
        for word in text.utf8.prefix(maximumCompared).split(
            omittingEmptySubsequences: false,
            whereSeparator: isSeparator
        ) {
            shape += isNumber(word) ? [UInt8(ascii: "#")] : Array(word)
            // Which separator it was makes no difference either.
            shape.append(UInt8(ascii: " "))
        }
        return shape
    }

    private static func isSeparator(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: " "), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "["), UInt8(ascii: "]"),
            UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "="):
            true
        default: false
        }
    }

    /// Digits, with one dot at most: an address has more.
    private static func isNumber(_ word: some Collection<UInt8>) -> Bool {
        var dots = 0
        for byte in word {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): continue
            case UInt8(ascii: "."): dots += 1
            default: return false
            }
        }
        return !word.isEmpty && dots < 2
    }
}

/// A limit of so many at once, and then so many in a time.
package struct TokenBucket: Sendable {
    let capacity: Double
    let perSecond: Double
    private var tokens: Double
    private var filled: ContinuousClock.Instant?

    /// A full bucket.
    package init(capacity: Int, perSecond: Double) {
        self.capacity = Double(capacity)
        self.perSecond = perSecond
        tokens = self.capacity
    }

    /// Takes one, if there is one.
    package mutating func take(at now: ContinuousClock.Instant) -> Bool {
        tokens = tokens(at: now)
        filled = now
        guard tokens >= 1 else { return false }
        tokens -= 1
        return true
    }

    /// The time after which there is one to take.
    package func delay(at now: ContinuousClock.Instant) -> Duration {
        .seconds(max(0, 1 - tokens(at: now)) / perSecond)
    }

    /// Returns true when nothing was taken for so long that the bucket is full again.
    package func isFull(at now: ContinuousClock.Instant) -> Bool { tokens(at: now) >= capacity }

    private func tokens(at now: ContinuousClock.Instant) -> Double {
        guard let filled else { return tokens }
        let (seconds, attoseconds) = filled.duration(to: now).components
        return min(capacity, tokens + max(0, Double(seconds) + Double(attoseconds) / 1e18) * perSecond)
    }
}
