internal import BenchmarkKit
internal import CTestbed
internal import Glibc

/// The socket on which a service manager receives the readiness notifications of services (sd_notify(3)).
final class NotifySocket {
    private let descriptor: Int32

    /// Binds the socket, and sets `NOTIFY_SOCKET` for every program that is started from now on.
    init(at path: String) throws(BenchmarkError) {
        descriptor = testbed_bind_datagram(path)
        guard descriptor >= 0 else { throw BenchmarkError("listen at \(path)", errno: errno) }
        setenv("NOTIFY_SOCKET", path, 1)
    }

    deinit { close(descriptor) }

    /// Waits for READY=1, and skips everything else.
    ///
    /// - Returns: CLOCK_MONOTONIC when it was read; `nil` if it did not arrive in time.
    func waitForReady(milliseconds: UInt64) -> UInt64? {
        let deadline = MonotonicClock.nanoseconds + milliseconds * 1_000_000
        while true {
            let now = MonotonicClock.nanoseconds
            guard now < deadline else { return nil }
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            poll(&entry, 1, Int32(clamping: (deadline - now) / 1_000_000 + 1))
            let message = next()
            if message?.split(separator: "\n").contains("READY=1") == true { return MonotonicClock.nanoseconds }
        }
    }

    /// Discards all messages so far.
    func forget() {
        while next() != nil {}
    }

    private func next() -> String? {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        return count >= 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
    }
}
