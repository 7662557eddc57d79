internal import EventJournal
internal import FoundationEssentials
internal import LinuxSupport
internal import Probes
internal import Synchronization

/// Keeps the day's data usage across restarts, in a file beside the journal's events.
///
/// The file has up to ``reserve`` bytes for each account more than were used: so it need not be written for each check,
/// and after a crash its numbers are too high, never too low. An orderly shutdown writes the exact usage.
final class DataUsageStore: Sendable {
    static let name = "data-usage"
    static let reserve = 16 << 10
    private static let secondsPerDay: Int64 = 86_400
    private static let maximumBytes = 16 << 10

    private struct State {
        var latest: DataUsage?
        var written: DataUsage?
        var isWriting = false
        var isFinal = false
    }

    private let journal: EventJournal
    private let isClockTrusted: @Sendable () -> Bool
    /// The start of the day of the former process, in seconds since 1970.
    private let formerDay: Int64?
    private let state: Mutex<State>
    private let ended = Monitor(false)

    init(in journal: EventJournal, isClockTrusted: @escaping @Sendable () -> Bool = ClockTrust.isTrusted) {
        self.journal = journal
        self.isClockTrusted = isClockTrusted
        let content = journal.kept(Self.name, atMost: Self.maximumBytes) ?? []
        let former = try? JSONDecoder().decode(DataUsage.self, from: Data(content))
        let usage = former.flatMap { $0.bytes.values.allSatisfy { $0 >= 0 } ? $0 : nil }
        let start = usage.map { $0.day.multipliedReportingOverflow(by: Self.secondsPerDay) }
        formerDay = start.flatMap { $0.overflow ? nil : $0.partialValue }
        state = Mutex(State(written: usage))
    }

    /// The counts in the file, for the start.
    var usage: DataUsage? { state.withLock { $0.written } }

    /// Returns the time of the budgets, in seconds since 1970: that of the wall clock; but while it cannot be trusted, not
    /// before the day of the former process.
    ///
    /// A device whose clock starts in 1970 would otherwise have a new budget with each start.
    func seconds(wallClock: Int64) -> Int64 {
        guard let formerDay, wallClock < formerDay, !isClockTrusted() else { return wallClock }
        return formerDay
    }

    /// Records the usage, and starts to write it if the file does not cover it; does not wait for the disk.
    func note(_ usage: DataUsage) {
        state.withLock { $0.latest = usage }
        writeIfNeeded()
    }

    /// Writes the exact usage.
    ///
    /// - Returns: `false` when the disk did not answer in time.
    @discardableResult
    func finish(within limit: Duration) -> Bool {
        guard
            state.withLock({ state in
                state.isFinal = true
                return state.latest != nil
            })
        else { return true }
        writeIfNeeded()
        return ended.waitForSignal(within: limit)
    }

    private func writeIfNeeded() {
        let starts = state.withLock { state in
            guard !state.isWriting, Self.needsWriting(state) else { return false }
            state.isWriting = true
            return true
        }
        guard starts else { return }
        do throws(SystemError) {
            try NamedThread.start("data-usage") { self.write() }
        } catch {
            // The next check retries.
            state.withLock { $0.isWriting = false }
        }
    }

    private static func needsWriting(_ state: State) -> Bool {
        guard let latest = state.latest else { return false }
        guard !state.isFinal else { return true }
        guard let written = state.written, written.day == latest.day else { return true }
        return latest.bytes.contains { $0.value > written.bytes[$0.key] ?? -1 }
    }

    private func write() {
        while true {
            let isTrusted = isClockTrusted()
            let (usage, isLast) = state.withLock { state -> (DataUsage?, Bool) in
                guard Self.needsWriting(state), var usage = state.latest else {
                    state.isWriting = false
                    return (nil, false)
                }
                let isLast = state.isFinal
                if isLast { state.latest = nil } else { usage.bytes = usage.bytes.mapValues(Self.ahead) }
                // A clock that starts in 1970 must not overwrite the usage of the real day.
                if let written = state.written, usage.day < written.day, !isTrusted {
                    state.isWriting = false
                    return (nil, isLast)
                }
                // If writing fails, the next attempt is made when this reserve is used up.
                state.written = usage
                return (usage, isLast)
            }
            if let usage {
                let encoder = JSONEncoder()
                encoder.outputFormatting = .sortedKeys
                if let content = try? encoder.encode(usage) { try? journal.keep(Array(content), as: Self.name) }
            }
            if isLast { ended.signal() }
            if usage == nil { return }
        }
    }

    private static func ahead(_ bytes: Int) -> Int {
        let (sum, isTooMuch) = bytes.addingReportingOverflow(reserve)
        return isTooMuch ? .max : sum
    }
}
