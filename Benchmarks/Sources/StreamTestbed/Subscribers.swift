package import BenchmarkKit
internal import CTestbed
internal import Glibc

/// Many subscribers of one socket, read by one thread with epoll.
///
/// Stopped subscribers are connected, but never read.
package final class Subscribers {
    /// The number of subscribers that read.
    package let count: Int
    /// The number of bytes that they have read.
    package private(set) var bytes = 0

    private let epoll: Int32
    private let descriptors: [Int32]
    private let stopped: [Int32]
    private var cutters: [LineCutter]
    private let room: UnsafeMutableRawBufferPointer
    private var tokens = [UInt32](repeating: 0, count: 256)

    /// Connects the subscribers.
    ///
    /// - Parameter request: The request that each of them sends first, if there is one.
    package init(of path: String, request: String?, count: Int, stopped: Int = 0) throws(BenchmarkError) {
        self.count = count
        epoll = testbed_epoll_open()
        guard epoll >= 0 else { throw BenchmarkError("make an epoll instance", errno: errno) }
        room = .allocate(byteCount: 1 << 20, alignment: 16)
        cutters = .init(repeating: LineCutter(), count: count)
        var descriptors: [Int32] = []
        var failure: BenchmarkError?
        for _ in 0..<count + stopped {
            do throws(BenchmarkError) {
                descriptors.append(try Self.connect(to: path, request))
            } catch {
                failure = error
                break
            }
        }
        self.descriptors = Array(descriptors.prefix(count))
        self.stopped = Array(descriptors.dropFirst(count))
        if let failure { throw failure }
        for (token, descriptor) in self.descriptors.enumerated() {
            try BenchmarkError.check(testbed_epoll_add(epoll, descriptor, UInt32(token)), "watch a subscriber")
        }
    }

    deinit {
        for descriptor in descriptors + stopped { close(descriptor) }
        close(epoll)
        room.deallocate()
    }

    private static func connect(to path: String, _ request: String?) throws(BenchmarkError) -> Int32 {
        let descriptor = testbed_connect(path)
        guard descriptor >= 0 else { throw BenchmarkError("connect to \(path)", errno: errno) }
        let request = Array((request ?? "").utf8)
        guard request.isEmpty || send(descriptor, request, request.count, 0) == request.count else {
            close(descriptor)
            throw BenchmarkError("subscribe at \(path)", errno: errno)
        }
        return descriptor
    }

    /// Waits until each subscriber has read its first line, which confirms its subscription.
    ///
    /// - Parameter body: As in ``read(milliseconds:_:)``.
    package func awaitFirstLines(
        _ body: (_ index: Int, _ line: UnsafeRawBufferPointer, _ time: UInt64) -> Void
    ) throws(BenchmarkError) {
        var isReady = [Bool](repeating: false, count: count)
        var missing = count
        while missing > 0 {
            let isAlive = try read(milliseconds: 10_000) { index, line, time in
                if !isReady[index] { missing -= 1 }
                isReady[index] = true
                body(index, line, time)
            }
            guard isAlive else { throw BenchmarkError("subscribe", cause: "\(missing) have not read a line") }
        }
    }

    /// Waits for data, and reads once from each subscriber that has some.
    ///
    /// - Parameters:
    ///   - milliseconds: The maximum time to wait.
    ///   - body: Receives the index of the subscriber, a line without its terminator, and CLOCK_MONOTONIC directly
    ///     after it was read.
    /// - Returns: `false` if no data arrived.
    @discardableResult
    package func read(
        milliseconds: Int32,
        _ body: (_ index: Int, _ line: UnsafeRawBufferPointer, _ time: UInt64) -> Void
    ) throws(BenchmarkError) -> Bool {
        let ready = testbed_epoll_wait(epoll, &tokens, 256, milliseconds)
        guard ready >= 0 || errno == EINTR else { throw BenchmarkError("wait for lines", errno: errno) }
        for token in tokens.prefix(Int(max(0, ready))) {
            let index = Int(token)
            var time: UInt64?
            let result = cutters[index].read(from: descriptors[index], with: room) { line in
                // Nothing lies between this and recv(2) but the search for the first line's end.
                let now = time ?? MonotonicClock.nanoseconds
                time = now
                body(index, line, now)
            }
            guard result > 0 || (result < 0 && errno == EAGAIN) else {
                throw BenchmarkError("read", cause: "the server has closed the connection of a subscriber that reads")
            }
            bytes += max(0, result)
        }
        return ready > 0
    }
}
