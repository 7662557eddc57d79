internal import BenchmarkKit
internal import Glibc
internal import Probes
internal import Synchronization

/// The naive driver: a thread for each probe that sleeps, starts its check, and sleeps again.
///
/// The checks are made by the same transport as the scheduler's. The phases are spread evenly, which is the best case.
final class ThreadPerProbe: ProbeDriver {
    private let isStopped = Mutex(false)

    init(_ probes: [ScheduledProbe], transport: any CheckTransport, log: LatenessLog) {
        let start = MonotonicClock.nanoseconds + 1_000_000_000
        for (index, scheduled) in probes.enumerated() {
            let interval = UInt64(max(1, scheduled.pace.interval.components.seconds)) * 1_000_000_000
            let phase = interval / UInt64(probes.count) * UInt64(index)
            Thread.start { [self] in
                var due = start + phase
                while !isStopped.withLock({ $0 }) {
                    Self.sleep(until: due)
                    let lateness = MonotonicClock.nanoseconds - min(due, MonotonicClock.nanoseconds)
                    _ = transport.start(scheduled.probe) { report in
                        log.record(.nanoseconds(Int64(clamping: lateness)), isFailure: report.verdict != .ok)
                    }
                    due += interval
                }
            }
        }
    }

    var skipped: Int { 0 }

    func stop() { isStopped.withLock { $0 = true } }

    private static func sleep(until nanoseconds: UInt64) {
        var time = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        while clock_nanosleep(CLOCK_MONOTONIC, Int32(TIMER_ABSTIME), &time, nil) == EINTR {}
    }
}
