internal import Glibc

/// The bytes that an interface has carried since it was created, including all headers.
package struct InterfaceBytes: Sendable, Hashable {
    /// The received bytes.
    package var received: UInt64
    /// The sent bytes.
    package var sent: UInt64

    /// Creates counts.
    package init(received: UInt64, sent: UInt64) {
        self.received = received
        self.sent = sent
    }

    /// The bytes in both directions.
    package var total: UInt64 { received &+ sent }
}

/// The kernel's byte counters of one interface, read on demand (`RTM_GETSTATS`, since Linux 4.7).
///
/// The netlink socket belongs to the network namespace of this process, which a mounted sysfs may not show.
package struct InterfaceCounters {
    private let index: UInt32
    private var kernel: NetlinkQueries

    /// Opens a socket for an interface; nil if the interface does not exist, or no socket is available.
    package init?(of interface: String) {
        let index = if_nametoindex(interface)
        guard index > 0, let kernel = try? NetlinkQueries() else { return nil }
        self.index = index
        self.kernel = kernel
    }

    /// Reads the counters, which takes microseconds; nil once the interface is gone, or if the kernel has none.
    package mutating func read() -> InterfaceBytes? { (try? kernel.statistics(of: index)) ?? nil }
}
