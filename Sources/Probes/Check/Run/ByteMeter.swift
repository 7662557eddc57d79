internal import Glibc
internal import NIOCore

/// Counts the bytes that a check's sockets carry.
///
/// `@unchecked Sendable`: used only on the check's event loop.
package final class ByteMeter: @unchecked Sendable {
    private(set) var sent = 0
    private(set) var received = 0
    /// The bytes on the link, including all headers: measured if the kernel counts them, else estimated, never too low.
    private(set) var onWire = 0
    private var connections: [ByteCounter] = []
    private var receivedLimit = Int.max
    private var totalLimit = Int.max
    private var whenExceeded: ((Limit) -> Void)?
    /// `true` once a limit was exceeded; later bytes are ignored.
    private(set) var isExceeded = false

    /// The limits on bytes.
    enum Limit {
        /// The bytes received for the current hop.
        case received
        /// The bytes in both directions.
        case total
    }

    package init() {}

    /// Sets the limit for both directions, and the closure to call once when any limit is exceeded.
    func bound(total: Int, whenExceeded: @escaping (Limit) -> Void) {
        totalLimit = total
        self.whenExceeded = whenExceeded
    }

    /// Replaces the limit for both directions by one for the bytes from now on; nil for none.
    func bound(further: Int?) { totalLimit = further.map { Self.sum(Self.sum(sent, received), $0) } ?? .max }

    /// Sets the limit for bytes received from now on.
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

    /// Counts one received datagram or ICMP message.
    func count(received bytes: Int, headers: Int) {
        count(received: bytes)
        count(onWire: Self.sum(bytes, headers))
    }

    /// Counts bytes on the link that the other functions do not count.
    func count(onWire bytes: Int) { onWire = Self.sum(onWire, bytes) }

    func add(_ connection: ByteCounter) { connections.append(connection) }

    /// Returns the bytes on the link so far, including those of connections that are still open.
    func currentOnWire() -> Int { connections.reduce(onWire) { Self.sum($0, $1.currentOnWire()) } }

    /// Adds the bytes of connections that are still open; called at the end of the check.
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
