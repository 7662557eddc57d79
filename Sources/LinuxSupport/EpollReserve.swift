internal import CLinux
internal import Glibc

/// An epoll(7) with watches, taken for a moment to know that there are enough of them.
///
/// All processes of a user share a number of watches (`fs.epoll.max_user_watches`), and NIO ends the process where it
/// cannot add one of its own. Others may still take them in between, which only makes that unlikely.
package final class EpollReserve: Sendable {
    private let descriptor: Int32
    private let watched: [Wakeup]

    /// Takes an epoll and watches until this object is released.
    ///
    /// - Parameter count: The number of watches; each also takes a descriptor of its own.
    /// - Throws: ``SystemError``, with ENOSPC if the user has no watch left.
    package init(watches count: Int) throws(SystemError) {
        var wakeups: [Wakeup] = []
        for _ in 0..<count { wakeups.append(try Wakeup()) }
        watched = wakeups
        descriptor = clinux_open_epoll()
        guard descriptor >= 0 else { throw SystemError(errno: errno) }
        for wakeup in wakeups {
            let number = clinux_watch(descriptor, wakeup.descriptor)
            guard number == 0 else { throw SystemError(errno: number) }
        }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }
}
