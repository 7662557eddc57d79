internal import BenchmarkKit
internal import Glibc

/// The runs of the program, as records read from its FIFO.
final class HookRuns {
    private let descriptor: Int32

    /// Opens the FIFO in both directions, so that reads do not return end-of-file while it has no writer.
    init(at path: String) throws(BenchmarkError) {
        descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw BenchmarkError("open \(path)", errno: errno) }
    }

    deinit { close(descriptor) }

    /// Waits for a run that recorded this state, and skips others.
    ///
    /// - Returns: CLOCK_MONOTONIC at the program's first instruction; `nil` if it did not run in time.
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

    /// Discards all records so far.
    func forget() {
        while read() != nil {}
    }

    /// Reads one record, which is never partial: writes of up to PIPE_BUF are atomic (pipe(7)).
    private func read() -> (time: UInt64, isUp: Bool)? {
        var record: [UInt64] = [0, 0]
        let size = MemoryLayout<UInt64>.stride * record.count
        return Glibc.read(descriptor, &record, size) == size ? (record[0], record[1] != 0) : nil
    }
}
