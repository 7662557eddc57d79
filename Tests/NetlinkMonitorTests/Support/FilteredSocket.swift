import AgentTestKit
internal import Glibc
internal import NetlinkTestKit
internal import Testing

@testable internal import NetlinkMonitor

/// A pair of datagram sockets, one of which runs a filter: the kernel's own BPF, without privilege and without netlink.
final class FilteredSocket {
    private let sender: Int32
    private let receiver: Int32

    struct SetUpError: Error { let errno: Int32 }

    init(_ filter: RouteFilter) throws {
        var pair: [Int32] = [-1, -1]
        let type = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        guard socketpair(AF_UNIX, type, 0, &pair) == 0 else { throw SetUpError(errno: errno) }
        (sender, receiver) = (pair[0], pair[1])
        try filter.attach(to: receiver)
    }

    deinit {
        close(sender)
        close(receiver)
    }

    /// Replaces the filter, as a monitor does when its targets change.
    func replace(_ filter: RouteFilter) throws { try filter.attach(to: receiver) }

    /// Returns `true` when the kernel's filter passes a message; it runs during the send, so no wait is needed.
    func passes(_ message: MessageBuilder) -> Bool {
        let bytes = message.bytes
        _ = send(sender, bytes, bytes.count, 0)
        var buffer = [UInt8](repeating: 0, count: 4096)
        return recv(receiver, &buffer, buffer.count, 0) == bytes.count
    }
}

/// Arithmetic on single bits, slow and obvious, as the reference for the filter's program.
extension IPAddress {
    /// The address with all bits behind a prefix's length 0.
    func masked(to length: Int) -> IPAddress {
        changingBits { bit, isSet in bit < length && isSet }
    }

    /// The address with one bit turned.
    func turningBit(_ bit: Int) -> IPAddress {
        changingBits { candidate, isSet in candidate == bit ? !isSet : isSet }
    }

    private func changingBits(_ change: (Int, Bool) -> Bool) -> IPAddress {
        var bytes = networkBytes
        for bit in 0..<family.bitWidth {
            let mask = UInt8(0x80) >> (bit % 8)
            let isSet = change(bit, bytes[bit / 8] & mask != 0)
            bytes[bit / 8] = isSet ? bytes[bit / 8] | mask : bytes[bit / 8] & ~mask
        }
        return IPAddress(networkBytes: bytes) ?? self
    }

    static func random(_ family: AddressFamily, _ generator: inout SplitMix) throws -> IPAddress {
        let bytes = (0..<family.bitWidth / 8).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        return try #require(IPAddress(networkBytes: bytes))
    }
}

extension IPPrefix {
    func covers(_ other: IPAddress) -> Bool {
        other.family == address.family && other.masked(to: length) == address.masked(to: length)
    }
}
