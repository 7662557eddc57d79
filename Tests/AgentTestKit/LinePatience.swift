import Foundation
import Synchronization
import Testing

/// The time for which a line is awaited, by a test that has failed when it is over.
enum LinePatience {
    private static let standard: DispatchTimeInterval = .seconds(30)

    /// Remembers that the time is over, for a thread of Dispatch and a test.
    private final class Alarm: Sendable {
        private let state = Mutex(false)

        var hasRung: Bool { state.withLock { $0 } }

        func ring() { state.withLock { $0 = true } }
    }

    /// Waits for a line of a source, and ends the source when none comes in time.
    ///
    /// An end that came only so is recorded as an issue: a test that expects the end would take it for the one it expects.
    static func line(
        from source: String,
        within time: DispatchTimeInterval = standard,
        end: @escaping @Sendable () -> Void,
        report: (String) -> Void = { Issue.record("\($0)") },
        _ next: () async -> String?
    ) async -> String? {
        let alarm = Alarm()
        let watchdog = DispatchWorkItem {
            alarm.ring()
            end()
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + time, execute: watchdog)
        defer { watchdog.cancel() }
        let line = await next()
        if line == nil, alarm.hasRung {
            report("neither a line nor the end came in time from: \(source)")
        }
        return line
    }
}
