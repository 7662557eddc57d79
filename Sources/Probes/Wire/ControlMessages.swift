internal import Glibc

/// One message of a datagram's control data (cmsg(3)).
struct ControlMessage: Equatable {
    let level: CInt
    let type: CInt
    let bytes: [UInt8]

    /// Parses the messages in control data, up to the first invalid one.
    ///
    /// The macros of cmsg(3) do not exist in Swift: a header, the data, and padding to the size of a word.
    static func all(in control: [UInt8]) -> [ControlMessage] {
        let alignment = MemoryLayout<Int>.size
        let headerSize = (MemoryLayout<cmsghdr>.size + alignment - 1) / alignment * alignment
        var messages: [ControlMessage] = []
        var rest = control[...]
        while rest.count >= headerSize {
            let header = rest.withUnsafeBytes { $0.loadUnaligned(as: cmsghdr.self) }
            let length = Int(clamping: header.cmsg_len)
            guard length >= headerSize, length <= rest.count else { break }
            let bytes = Array(rest.dropFirst(headerSize).prefix(length - headerSize))
            messages.append(ControlMessage(level: header.cmsg_level, type: header.cmsg_type, bytes: bytes))
            let padding = (alignment - length % alignment) % alignment
            rest = rest.dropFirst(length).dropFirst(padding)
        }
        return messages
    }

    /// The data as a native integer; nil when it is shorter.
    var integer: CInt? {
        guard bytes.count >= MemoryLayout<CInt>.size else { return nil }
        return bytes.withUnsafeBytes { $0.loadUnaligned(as: CInt.self) }
    }
}

/// An error from a socket's error queue: struct sock_extended_err of linux/errqueue.h (ip(7)).
struct QueuedError: Equatable {
    /// The origin of an error.
    enum Origin: UInt8 {
        case local = 1
        case icmp = 2
        case icmpv6 = 3
    }

    let error: CInt
    /// The origin; nil for origins that ICMP sockets never report.
    let origin: Origin?
    /// The ICMP type and code.
    let type: UInt8
    let code: UInt8
    /// The link's MTU, if the ICMP message has one.
    let info: UInt32
    /// The address of the host or router that sent the ICMP message.
    let offender: [UInt8]?

    /// Creates an error; nil for a message that is not an error or is too short.
    init?(_ message: ControlMessage) {
        guard
            (message.level == CInt(IPPROTO_IP) && message.type == IP_RECVERR)
                || (message.level == CInt(IPPROTO_IPV6) && message.type == IPV6_RECVERR)
        else { return nil }
        let bytes = message.bytes
        guard bytes.count >= 16 else { return nil }
        error = bytes.withUnsafeBytes { $0.loadUnaligned(as: CInt.self) }
        origin = Origin(rawValue: bytes[4])
        type = bytes[5]
        code = bytes[6]
        info = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 8, as: UInt32.self) }
        offender = Self.address(Array(bytes.dropFirst(16)))
    }

    /// Returns the address in the socket address that follows the error.
    private static func address(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count >= 2 else { return nil }
        switch CInt(bytes.withUnsafeBytes { $0.loadUnaligned(as: sa_family_t.self) }) {
        case AF_INET where bytes.count >= 8: return Array(bytes[4..<8])
        case AF_INET6 where bytes.count >= 24: return Array(bytes[8..<24])
        default: return nil
        }
    }
}
