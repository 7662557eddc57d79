internal import BenchmarkKit
internal import Glibc

/// What the runs of the program say: records from its FIFO.
final class HookRuns {
    private let descriptor: Int32

    /// Opens the FIFO in both directions, so that it has no end when nobody writes.
    init(at path: String) throws(BenchmarkError) {
        descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw BenchmarkError("open \(path)", errno: errno) }
    }

    deinit { close(descriptor) }

    /// Waits for a run that was told of this state, and skips others.
    ///
    /// - Returns: CLOCK_MONOTONIC at the program's first instruction; nil when it did not run in time.
    func next(isUp: Bool, milliseconds: UInt64) -> UInt64? {
        let deadline = MonotonicClock.nanoseconds + milliseconds * 1_000_000
        while true {
            if let record = read() {
                guard record.isUp == isUp else { continue }
                return record.time
            }
            let now = MonotonicClock.nanoseconds
            guard now < deadline else { return nil }
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            poll(&entry, 1, Int32(clamping: (deadline - now) / 1_000_000 + 1))
        }
    }

    /// Forgets what has been told so far.
    func forget() {
        while read() != nil {}
    }

    /// A record is written at once, and so read at once (pipe(7): up to PIPE_BUF).
    private func read() -> (time: UInt64, isUp: Bool)? {
        var record: [UInt64] = [0, 0]
        let size = MemoryLayout<UInt64>.stride * record.count
        return Glibc.read(descriptor, &record, size) == size ? (record[0], record[1] != 0) : nil
    }
}
