internal import CheckResults
internal import NIOCore

/// Measures the payload rate in windows of 100 ms: collects bytes and their times, and computes the goodput without
/// slow start.
struct GoodputMeter {
    /// The length of a window, in nanoseconds.
    private static let window: Int64 = 100_000_000
    /// The maximum number of windows: an hour, after which bytes are still counted, but not their rate.
    private static let maximumWindows = 36_000
    /// The number of windows in a displayed rate: a second.
    private static let recentWindows = 10

    /// An idle round trip, which distinguishes slow start from the bursts of a distant server.
    var roundTrip: Duration = .zero
    /// All payload bytes.
    private(set) var bytes = 0
    /// The bytes of each window; the last one is still open.
    private var windows: [Int] = []
    /// The start of the measurement, and the time of the last bytes relative to it, excluding pauses.
    private var begin: NIODeadline?
    private var last: Int64 = 0
    /// The bytes of the first piece, which arrived before the measurement started.
    private var firstBytes = 0
    private var paused: Int64 = 0
    private var pauseBegan: NIODeadline?

    /// Starts the measurement without bytes: an upload is measured from its first byte, which is acknowledged later.
    mutating func start(at time: NIODeadline) { if begin == nil { begin = time } }

    /// Counts bytes that arrived at a time, spread evenly over the time since the previous bytes.
    ///
    /// TLS delivers a record once all of its 16 KiB have arrived, which at 1 Mbit/s takes longer than a window.
    mutating func add(_ count: Int, at time: NIODeadline) {
        guard count > 0 else { return }
        guard begin != nil else {
            (begin, firstBytes, bytes) = (time, count, count)
            return note(count, in: 0)
        }
        reach(sum(bytes, count), at: time)
    }

    /// Counts the bytes up to a total, spread evenly over the time since the previous bytes.
    mutating func reach(_ total: Int, at time: NIODeadline) {
        guard total > bytes else { return }
        start(at: time)
        let (added, from, now) = (total - bytes, last, elapsed(at: time))
        defer { (bytes, last) = (total, max(last, now)) }
        let (first, final) = (from / Self.window, now / Self.window)
        guard now > from, final - first < Int64(Self.maximumWindows) else {
            return note(added, in: Int(clamping: final))
        }
        var given = 0
        for index in first...final {
            let end = min(now, (index + 1) * Self.window)
            let due = Int(Double(added) * (Double(end - from) / Double(now - from)))
            note(index == final ? added - given : due - given, in: Int(clamping: index))
            given = due
        }
    }

    /// Pauses the measurement.
    mutating func pause(at time: NIODeadline) { if pauseBegan == nil, begin != nil { pauseBegan = time } }

    /// Resumes the measurement.
    mutating func resume(at time: NIODeadline) {
        guard let pauseBegan else { return }
        paused += max(0, (time - pauseBegan).nanoseconds)
        self.pauseBegan = nil
    }

    /// The time from the first byte to the last, excluding pauses.
    var duration: Duration { .nanoseconds(last) }

    /// Returns the rate over the last second in bits per second; nil before the end of the first window.
    func recentRate(at time: NIODeadline) -> Double? {
        let current = Int(clamping: elapsed(at: pauseBegan ?? time) / Self.window)
        let first = max(0, current - Self.recentWindows)
        guard begin != nil, first < current else { return nil }
        let recent = (first..<current).reduce(0) { sum($0, windows.indices.contains($1) ? windows[$1] : 0) }
        return Self.rate(Double(recent) / Double(current - first))
    }

    /// The goodput after slow start; nil if it cannot be determined yet.
    var goodput: Goodput? {
        let whole = windows.prefix(min(windows.count, Int(clamping: last / Self.window)))
        guard !whole.isEmpty else { return shortGoodput }
        let start = SlowStart.windows(of: whole.map { Double($0) }, roundTrip: roundTripWindows)
        let measured = whole.dropFirst(start).sorted()
        guard !measured.isEmpty else { return shortGoodput }
        let total = measured.reduce(0.0) { $0 + Double($1) }
        return Goodput(
            p50: Self.rate(Ranked.median(measured.map { Double($0) })),
            p95: Self.rate(Double(measured[Ranked.index(of: 0.95, in: measured.count)])),
            mean: Self.rate(total / Double(measured.count)),
            windows: measured.count,
            slowStart: .nanoseconds(Int64(start) * Self.window)
        )
    }

    /// The number of windows in an idle round trip.
    private var roundTripWindows: Int {
        Int(min(max(0, roundTrip / .nanoseconds(Self.window)), 1000).rounded(.up))
    }

    /// Returns the end of slow start, if the transfer had one.
    func endOfSlowStart() -> NIODeadline? {
        guard let begin, let goodput else { return nil }
        return begin + TimeAmount(goodput.slowStart)
    }

    /// The goodput of a transfer shorter than a window: its mean, over at least a millisecond.
    private var shortGoodput: Goodput? {
        let count = bytes - firstBytes
        guard last >= 1_000_000, count > 0 else { return nil }
        let rate = Double(count) * 8 / (Double(last) / 1e9)
        return Goodput(p50: rate, p95: rate, mean: rate, windows: 1, slowStart: .zero)
    }

    private mutating func note(_ count: Int, in window: Int) {
        guard window < Self.maximumWindows, count > 0 else { return }
        while windows.count <= window { windows.append(0) }
        windows[window] = sum(windows[window], count)
    }

    /// Returns the nanoseconds from the first byte to a time, excluding pauses.
    func elapsed(at time: NIODeadline) -> Int64 {
        guard let begin else { return 0 }
        return max(last, (time - begin).nanoseconds - paused)
    }

    private func sum(_ total: Int, _ count: Int) -> Int {
        let (sum, isTooLarge) = total.addingReportingOverflow(count)
        return isTooLarge ? .max : sum
    }

    /// Returns bits per second for the bytes of a window.
    private static func rate(_ bytes: Double) -> Double { bytes * 8 * 1e9 / Double(window) }
}
