internal import Glibc
internal import NIOCore

/// Counts the bytes that a check's sockets carry.
///
/// Sendable by hand: only used on the check's event loop.
package final class ByteMeter: @unchecked Sendable {
    private(set) var sent = 0
    private(set) var received = 0
    /// What the link carried for it, with all headers: measured where the kernel counts, else estimated, never too low.
    private(set) var onWire = 0
    private var connections: [ByteCounter] = []
    private var receivedLimit = Int.max
    private var totalLimit = Int.max
    private var whenExceeded: ((Limit) -> Void)?
    /// Whether a limit was exceeded: what comes then is of no interest any more.
    private(set) var isExceeded = false

    /// What bounds the bytes.
    enum Limit {
        /// The bytes that came from the place that is asked.
        case received
        /// The bytes in both directions.
        case total
    }

    package init() {}

    /// Sets the limit for both directions, and the closure that is called once when any limit is exceeded.
    func bound(total: Int, whenExceeded: @escaping (Limit) -> Void) {
        totalLimit = total
        self.whenExceeded = whenExceeded
    }

    /// Sets the limit for what comes from now on.
    func bound(received: Int) { receivedLimit = Self.sum(self.received, received) }

    func count(sent bytes: Int) {
        sent = Self.sum(sent, bytes)
        checkLimits()
    }

    func count(received bytes: Int) {
        received = Self.sum(received, bytes)
        checkLimits()
    }

    private func checkLimits() {
        guard !isExceeded else { return }
        let limit: Limit? =
            Self.sum(sent, received) > totalLimit ? .total : received > receivedLimit ? .received : nil
        guard let limit else { return }
        isExceeded = true
        whenExceeded?(limit)
    }

    /// Counts one datagram or ICMP message, with a header of `headers` bytes.
    func count(sent bytes: Int, headers: Int) {
        count(sent: bytes)
        count(onWire: Self.sum(bytes, headers))
    }

    /// Counts one datagram or ICMP message that came.
    func count(received bytes: Int, headers: Int) {
        count(received: bytes)
        count(onWire: Self.sum(bytes, headers))
    }

    /// Counts what the link carried besides what the other functions count.
    func count(onWire bytes: Int) { onWire = Self.sum(onWire, bytes) }

    func add(_ connection: ByteCounter) { connections.append(connection) }

    /// Adds what the connections have cost that are still open; to be called at the end of the check.
    func finish() {
        for connection in connections { count(onWire: connection.finish()) }
        connections = []
        whenExceeded = nil
    }

    private static func sum(_ total: Int, _ bytes: Int) -> Int {
        let (sum, isTooLarge) = total.addingReportingOverflow(bytes)
        return isTooLarge ? .max : sum
    }
}
