internal import Glibc
internal import LinuxSupport
internal import Synchronization

/// The one thread that waits for descriptors that NIO's event loops cannot read.
///
/// NIO reads datagrams without their control data and does not know the error queue, so this thread waits for ICMP
/// sockets: in poll(2) without a timeout, so it sleeps while idle. It only reports readability; the owner reads on its
/// event loop. It is started with the first descriptor and never ends.
final class ReadinessThread: Sendable {
    /// The shared thread, once it is started.
    private static let started = Mutex<ReadinessThread?>(nil)

    /// Returns the shared thread; the first call starts it.
    ///
    /// - Throws: ``SystemError`` if the system has no descriptor or thread left: a shortage passes, so the next call
    ///   retries.
    static func shared() throws(SystemError) -> ReadinessThread {
        try started.withLock { (started) throws(SystemError) in
            if let started { return started }
            let thread = try ReadinessThread()
            started = thread
            return thread
        }
    }

    private struct State {
        var watches: [CInt: @Sendable () -> Void] = [:]
    }

    private let state = Mutex(State())
    /// Ends poll(2) when the descriptors to wait for have changed.
    private let wakeup: Wakeup

    private init() throws(SystemError) {
        wakeup = try Wakeup()
        try NamedThread.start("datagrams") { self.run() }
    }

    /// Calls `onReadable` once, on the thread, when the descriptor is readable or has an error; then the watch ends.
    ///
    /// Watching a descriptor again replaces its watch. The descriptor must stay open until ``forget(_:)``.
    func watch(_ descriptor: CInt, onReadable: @escaping @Sendable () -> Void) {
        state.withLock { $0.watches[descriptor] = onReadable }
        wakeup.signal()
    }

    /// Ends the watch.
    ///
    /// A running call may still complete, so the owner checks whether its exchange has ended. Closing the descriptor
    /// while poll(2) waits for it is harmless: the watch is gone, so nothing is called.
    func forget(_ descriptor: CInt) {
        state.withLock { _ = $0.watches.removeValue(forKey: descriptor) }
        wakeup.signal()
    }

    private func run() {
        while true {
            let watched = state.withLock { Array($0.watches.keys) }
            var entries = ([wakeup.descriptor] + watched).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            guard poll(&entries, nfds_t(entries.count), -1) > 0 else { continue }
            if entries[0].revents != 0 { wakeup.reset() }
            for entry in entries.dropFirst() where entry.revents != 0 {
                state.withLock { $0.watches.removeValue(forKey: entry.fd) }?()
            }
        }
    }
}
