internal import Glibc

/// The bytes that a TCP connection has transferred, with headers and retransmissions, as the kernel counts them
/// (tcp_info, since Linux 4.19).
struct ConnectionBytes {
    /// The maximum size of all headers of a segment, in bytes: Ethernet's, IPv6's, and TCP's with options.
    private static let headers: UInt64 = 94

    /// The bytes on the link.
    let total: UInt64
    /// The received payload.
    let received: UInt64
    /// The payload that was written to the socket, sent or not.
    let written: UInt64

    /// Queries the kernel; `nil` if the descriptor is not a connection, or the kernel does not count.
    init?(of descriptor: Int32) {
        var answer = [UInt8](repeating: 0, count: 256)
        var length = socklen_t(answer.count)
        guard getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, &answer, &length) == 0, length >= 216 else {
            return nil
        }
        // Glibc's structure ends before these fields, whose offsets never change.
        let (received, sent, sentAgain, unsent, segments) = answer.withUnsafeBytes { bytes in
            (
                bytes.loadUnaligned(fromByteOffset: 128, as: UInt64.self),
                bytes.loadUnaligned(fromByteOffset: 200, as: UInt64.self),
                bytes.loadUnaligned(fromByteOffset: 208, as: UInt64.self),
                UInt64(bytes.loadUnaligned(fromByteOffset: 144, as: UInt32.self)),
                UInt64(bytes.loadUnaligned(fromByteOffset: 136, as: UInt32.self))
                    + UInt64(bytes.loadUnaligned(fromByteOffset: 140, as: UInt32.self))
            )
        }
        // Closing a connection takes four segments.
        total = sent &+ received &+ (segments + 4) &* Self.headers
        self.received = received
        written = sent &- sentAgain &+ unsent
    }
}
