internal import CommandText
internal import Logging

/// A rate limiter for log messages, so that neither a repeated message nor a flood of different ones fills a log.
///
/// Similar messages have a limit, and so have all messages together; errors have a separate one, so that a flood of
/// less severe messages does not displace them. Suppressed messages are counted, and the count is logged with the next
/// message after the window has ended, and at the end. This needs no timer, and no thread wakes up.
///
/// Messages below `info` always pass, because a user who enables them wants all of them.
package struct LogLimiter: Sendable {
    /// The limits.
    package struct Limits: Sendable {
        /// The maximum number of similar messages that pass in one ``window``.
        var alike = 10
        /// The time in which similar messages are counted together.
        var window: Duration = .seconds(300)
        /// The maximum number of messages that pass in a burst.
        var burst = 500
        /// The average number of messages that pass per second.
        var perSecond: Double = 1
        /// The minimum time between two reports of a continuing flood.
        var telling: Duration = .seconds(60)
        /// The maximum number of different messages that are remembered; further ones are subject only to the limit on
        /// all messages.
        var maximumRemembered = 256

        /// Creates the default limits.
        package init() {}
    }

    /// A message to write.
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
    /// The earliest end of a series.
    private var nextEnd: ContinuousClock.Instant?
    private var routine: TokenBucket
    private var serious: TokenBucket
    /// The number of messages that were suppressed by the limit on all messages and not reported yet.
    private var flooded: [Logger.Level: Int] = [:]
    private var reportedFlood: ContinuousClock.Instant?

    init(_ limits: Limits = Limits()) {
        self.limits = limits
        routine = TokenBucket(capacity: limits.burst, perSecond: limits.perSecond)
        serious = routine
    }

    /// Handles a message.
    ///
    /// - Returns: The messages to write now, in order: this one if it passes, and reports of suppressed ones.
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
                    Message(level: .warning, text: "too many messages: most further ones are suppressed and counted")
                )
            }
            return written
        }
        written += flood(at: now)
        written.append(message)
        if remember(message, likeness, now) == limits.alike {
            let time = DurationText.coarse(limits.window)
            written.append(
                Message(
                    level: message.level,
                    text: "more messages like this one are suppressed for \(time) and counted"
                )
            )
        }
        return written
    }

    /// Returns the pending reports, at the end or on request.
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

    /// Removes the series that have ended, and returns the reports of their suppressed messages.
    private mutating func overdue(at now: ContinuousClock.Instant) -> [Message] {
        guard let end = nextEnd, end <= now else { return [] }
        let over = series.values.filter { $0.end <= now && $0.held > 0 }.sorted()
        series = series.filter { $0.value.end > now }
        nextEnd = series.values.map(\.end).min()
        return over.map(Self.count)
    }

    /// Returns the report of a flood, if one is due.
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
        return Message(level: series.first.level, text: "\(what) suppressed: \(series.first.text)")
    }

    private static func count(_ flooded: [Logger.Level: Int]) -> Message {
        let total = flooded.values.reduce(0, +)
        let parts = flooded.sorted { $0.key > $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
        let what = total == 1 ? "1 message was" : "\(total) messages were"
        let worst = flooded.keys.max() ?? .warning
        return Message(level: max(.warning, worst), text: "\(what) suppressed, because there were too many (\(parts))")
    }

    // MARK: Similar messages

    /// The maximum number of bytes of a message that are compared.
    private static let maximumCompared = 512
    /// The minimum number of digits that are a counter or a time wherever they stand: those of addresses and ports are
    /// fewer.
    private static let minimumCounter = 10

    /// Returns a message with its numbers replaced: `failed (exit 1) in 12 ms` becomes `failed (exit #) in # ms`.
    ///
    /// Only numbers that are separate words are replaced, and long ones, such as that of a journal's segment; those in
    /// other names and in addresses make a difference.
    static func shape(of text: String) -> [UInt8] {
        var shape: [UInt8] = []
        for word in text.utf8.prefix(maximumCompared).split(
            omittingEmptySubsequences: false,
            whereSeparator: isSeparator
        ) {
            shape += isNumber(word) ? [UInt8(ascii: "#")] : withoutCounters(word)
            // All separators are treated as equal.
            shape.append(UInt8(ascii: " "))
        }
        return shape
    }

    private static func withoutCounters(_ word: some Collection<UInt8>) -> [UInt8] {
        var text: [UInt8] = []
        var digits = 0
        for byte in word {
            digits = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) ? digits + 1 : 0
            if digits <= minimumCounter { text.append(byte) }
            if digits == minimumCounter { text.replaceSubrange((text.count - digits)..., with: [UInt8(ascii: "#")]) }
        }
        return text
    }

    private static func isSeparator(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: " "), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "["), UInt8(ascii: "]"),
            UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "="):
            true
        default: false
        }
    }

    /// Returns whether a word consists of digits with at most one dot; an address has more.
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

/// A token bucket, which allows a burst and then an average rate.
package struct TokenBucket: Sendable {
    let capacity: Double
    let perSecond: Double
    private var tokens: Double
    private var filled: ContinuousClock.Instant?

    /// Creates a full bucket.
    package init(capacity: Int, perSecond: Double) {
        self.capacity = Double(capacity)
        self.perSecond = perSecond
        tokens = self.capacity
    }

    /// Takes a token; returns `false` if none is available.
    package mutating func take(at now: ContinuousClock.Instant) -> Bool {
        tokens = tokens(at: now)
        filled = now
        guard tokens >= 1 else { return false }
        tokens -= 1
        return true
    }

    /// Returns the time until a token is available.
    package func delay(at now: ContinuousClock.Instant) -> Duration {
        .seconds(max(0, 1 - tokens(at: now)) / perSecond)
    }

    /// Returns whether the bucket is full.
    package func isFull(at now: ContinuousClock.Instant) -> Bool { tokens(at: now) >= capacity }

    private func tokens(at now: ContinuousClock.Instant) -> Double {
        guard let filled else { return tokens }
        let (seconds, attoseconds) = filled.duration(to: now).components
        return min(capacity, tokens + max(0, Double(seconds) + Double(attoseconds) / 1e18) * perSecond)
    }
}
