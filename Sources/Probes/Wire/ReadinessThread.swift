internal import Glibc
internal import NIOPosix
internal import Synchronization

/// The one thread that waits for descriptors that NIO's event loops cannot read.
///
/// NIO reads datagrams without their control data and does not know the error queue, so ICMP sockets are waited for
/// here: by poll(2) without a time-out, so the thread sleeps while nothing happens. It only tells that there is
/// something to read; reading is the owner's, on its event loop. It is started with the first descriptor and stays.
final class ReadinessThread: Sendable {
    /// Nil when the system has no descriptor or thread left.
    static let shared = try? ReadinessThread()

    private struct State {
        var watches: [CInt: @Sendable () -> Void] = [:]
    }

    private let state = Mutex(State())
    /// Two connected sockets that end poll(2) when the descriptors to wait for have changed.
    private let wakeReader: CInt
    private let wakeWriter: CInt

    private init() throws(SystemFailure) {
        var ends: [CInt] = [-1, -1]
        guard socketpair(AF_UNIX, SocketType.stream, 0, &ends) == 0 else { throw SystemFailure(error: errno) }
        wakeReader = ends[0]
        wakeWriter = ends[1]
        let pool = NIOThreadPool(numberOfThreads: 1)
        pool.start()
        pool.submit { _ in self.run() }
    }

    /// Calls `onReadable` once, on the thread, when there is something to read or an error; then the watch is over.
    ///
    /// Watching a descriptor again replaces its watch. The descriptor must stay open until ``forget(_:)``.
    func watch(_ descriptor: CInt, onReadable: @escaping @Sendable () -> Void) {
        state.withLock { $0.watches[descriptor] = onReadable }
        wake()
    }

    /// Ends the watch.
    ///
    /// A call that has begun may still come to its end, so the owner checks whether it is over. Closing the descriptor
    /// while poll(2) waits for it is harmless: the watch is gone, so nobody is told.
    func forget(_ descriptor: CInt) {
        state.withLock { _ = $0.watches.removeValue(forKey: descriptor) }
        wake()
    }

    private func wake() {
        var byte: UInt8 = 0
        // A full buffer wakes the thread as well.
        _ = write(wakeWriter, &byte, 1)
    }

    private func run() {
        var drained = [UInt8](repeating: 0, count: 64)
        while true {
            let watched = state.withLock { Array($0.watches.keys) }
            var entries = ([wakeReader] + watched).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            guard poll(&entries, nfds_t(entries.count), -1) > 0 else { continue }
            while read(wakeReader, &drained, drained.count) > 0 {}
            for entry in entries.dropFirst() where entry.revents != 0 {
                state.withLock { $0.watches.removeValue(forKey: entry.fd) }?()
            }
        }
    }
}

/// A system call's errno value.
struct SystemFailure: Error {
    let error: CInt
}
