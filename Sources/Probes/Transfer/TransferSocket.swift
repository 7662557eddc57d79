internal import Glibc
internal import NIOCore

/// The options of a transfer's sockets, each set only if the kernel supports and permits it.
enum TransferSocket {
    /// The maximum number of unsent bytes in the kernel: more would only delay the small requests on the same
    /// connection.
    private static let unsentBytes: CInt = 128 << 10
    /// The traffic class of DSCP LE (RFC 8622), as encoded in the field: 1, shifted by the two bits of ECN.
    private static let lowerEffort: CInt = 1 << 2

    /// `TCP_NOTSENT_LOWAT` and `TCP_CONGESTION` of linux/tcp.h.
    private static let notSentLowWater: CInt = 25
    private static let congestion: CInt = 13
    /// The maximum receive buffer of a response that continues after the wanted bytes; twice `net.core.rmem_max` may be
    /// lower.
    private static let maximumBoundedBuffer = 8 << 20
    /// The buffer beyond the missing bytes, in addition to a sixteenth of the wanted ones: room for the last records
    /// and frames, and for a rate that is still to be measured.
    private static let bufferReserve = 64 << 10

    /// Sets the options of a socket that is not connected yet.
    static func tune(_ channel: any Channel, for plan: TransferPlan) {
        guard let options = channel as? any SocketOptionProvider else { return }
        func set<Value: Sendable>(_ level: NIOBSDSocket.OptionLevel, _ name: CInt, _ value: Value) {
            // The kernel or a container may not support an option; the transfer then runs like any other connection.
            options.unsafeSetSocketOption(level: level, name: NIOBSDSocket.Option(rawValue: name), value: value)
                .whenFailure { _ in }
        }
        set(.tcp, notSentLowWater, unsentBytes)
        guard plan.priority == .low else { return }
        set(.ip, IP_TOS, lowerEffort)
        set(.ipv6, IPV6_TCLASS, lowerEffort)
        // After the traffic class, which sets a priority of its own (ip(7)).
        set(.socket, SO_PRIORITY, CInt(1))
        set(.tcp, congestion, CongestionName.lowPriority)
    }

    /// Limits what the peer may send ahead of the reader, for a response with more than the wanted bytes.
    static func admit(_ missing: Int, of wanted: Int, on channel: any Channel) {
        guard let options = channel as? any SocketOptionProvider else { return }
        let size = receiveBuffer(missing: missing, of: wanted)
        options.unsafeSetSocketOption(level: .socket, name: NIOBSDSocket.Option(rawValue: SO_RCVBUF), value: size)
            .whenFailure { _ in }
    }

    /// Returns the `SO_RCVBUF` for a response of which so many bytes are missing.
    ///
    /// A server that ignores ranges puts on the link whatever fits into the kernel's buffer, which grows to megabytes by
    /// itself, while this process is not scheduled. A limit of the window (`TCP_WINDOW_CLAMP`) does not help: it does
    /// not count what was received but not read, and an announced window is never taken back (RFC 9293, section 3.8.6).
    /// The kernel doubles the size (socket(7)), and since Linux 6.6 large segments fill nearly all of that with payload.
    static func receiveBuffer(missing: Int, of wanted: Int) -> CInt {
        let payload = min(missing, maximumBoundedBuffer) + wanted / 16 + bufferReserve
        return CInt(min(payload, maximumBoundedBuffer) / 2)
    }

    /// The name of a congestion control algorithm in the kernel's format: up to 16 bytes, ended by a zero.
    private struct CongestionName: Sendable {
        static let lowPriority = CongestionName(letters: (0x6C, 0x70, 0, 0))

        var letters: (UInt8, UInt8, UInt8, UInt8)
    }
}
