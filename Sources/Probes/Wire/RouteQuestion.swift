internal import Glibc

/// A transport protocol, by its number in the IP header.
enum WireTransport: UInt8 {
    case icmp = 1
    case tcp = 6
    case udp = 17
}

/// One question for the kernel's IPv4 route lookup (RTM_GETROUTE, rtnetlink(7)); nothing is sent to the network.
///
/// The constants are those of linux/netlink.h and linux/rtnetlink.h, which Swift's Glibc lacks.
struct RouteQuestion: Equatable {
    /// The direction of the packet over the interface.
    enum Direction: UInt16 {
        /// Received over it: RTA_IIF. The kernel answers as for a packet that arrives, with the reverse path filter.
        case input = 3
        /// Sent by a socket that is bound to it: RTA_OIF.
        case output = 4
    }

    let direction: Direction
    let interfaceIndex: UInt32
    /// The addresses, of 4 bytes each in network byte order.
    let source: [UInt8]
    let destination: [UInt8]
    let transport: WireTransport
    /// The port of the far end; 0 for protocols without ports.
    let farPort: UInt16

    init(
        _ direction: Direction,
        _ interfaceIndex: UInt32,
        from source: [UInt8],
        to destination: [UInt8],
        by transport: WireTransport,
        farPort: UInt16
    ) {
        self.direction = direction
        self.interfaceIndex = interfaceIndex
        self.source = source
        self.destination = destination
        self.transport = transport
        self.farPort = farPort
    }

    /// Returns the request in the kernel's format: a header, a route, and attributes.
    func message(number: UInt32) -> [UInt8] {
        var attributes = Self.attribute(1, destination) + Self.attribute(2, source)
        attributes += Self.attribute(direction.rawValue, Self.native(interfaceIndex))
        // Policy rules may depend on them; kernels before 4.19 ignore them.
        attributes += Self.attribute(27, [transport.rawValue])
        if farPort > 0 { attributes += Self.attribute(direction == .output ? 29 : 28, Self.native(farPort.bigEndian)) }
        let family = UInt8(AF_INET)
        // RTM_F_LOOKUP_TABLE: the answer names the table that has decided.
        let route: [UInt8] = [family, 32, 32, 0, 0, 0, 0, 0] + Self.native(UInt32(0x1000))
        let length = UInt32(16 + route.count + attributes.count)
        let header = Self.native(length) + Self.native(UInt16(26)) + Self.native(UInt16(1)) + Self.native(number)
        return header + Self.native(UInt32(0)) + route + attributes
    }

    private static func attribute(_ type: UInt16, _ value: [UInt8]) -> [UInt8] {
        let padding = [UInt8](repeating: 0, count: (4 - value.count % 4) % 4)
        return native(UInt16(4 + value.count)) + native(type) + value + padding
    }

    private static func native(_ value: some FixedWidthInteger) -> [UInt8] { withUnsafeBytes(of: value) { Array($0) } }

    /// Returns the kernel's answers, one for each question, in order; nil where there is none.
    ///
    /// The kernel answers while send(2) runs, so that nothing waits.
    static func answers(to questions: [RouteQuestion]) -> [RouteAnswer?] {
        var answers = [RouteAnswer?](repeating: nil, count: questions.count)
        let descriptor = socket(AF_NETLINK, SocketType.datagram, 0)
        guard descriptor >= 0 else { return answers }
        defer { close(descriptor) }
        // A socket that is connected to the kernel (port 0) takes no message of another process.
        let kernel = native(UInt16(AF_NETLINK)) + [UInt8](repeating: 0, count: 10)
        let error = kernel.withUnsafeBytes { SocketCalls.connect(descriptor, to: $0) }
        let requests = questions.enumerated().flatMap { $1.message(number: UInt32($0)) }
        guard error == nil, send(descriptor, requests, requests.count, 0) == requests.count else {
            return answers
        }
        var bytes = [UInt8](repeating: 0, count: 2048)
        for _ in questions {
            let count = recv(descriptor, &bytes, bytes.count, 0)
            guard count > 0, let (number, answer) = RouteAnswer.parse(bytes.prefix(count)) else { break }
            guard let index = Int(exactly: number), answers.indices.contains(index) else { break }
            answers[index] = answer
        }
        return answers
    }
}
