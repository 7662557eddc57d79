internal import CheckResults
internal import FuzzKit

@testable import Probes

/// Datagrams of a socket for echo requests: replies, and control data with ICMP errors; and answers about their routes.
///
/// The first byte chooses the family, and this machine's knowledge of the sender and of a route.
enum FuzzICMP {
    private static let payload = (UInt8(0)..<56).map(\.self)
    private static let targets = ["192.0.2.1", "2001:db8::1"].compactMap { WireEndpoint($0, port: 0) }

    static func run(_ input: [UInt8]) {
        guard let flags = input.first, let target = targets.dropFirst(Int(flags & 1)).first else { return }
        let rest = Array(input.dropFirst())
        checkReply(rest, isIPv6: target.isIPv6)
        if case .refused(let error)? = RouteAnswer.parse(rest[...])?.answer { require(error > 0, "no errno value") }
        let messages = ControlMessage.all(in: rest)
        require(messages.reduce(0) { $0 + 16 + $1.bytes.count } <= rest.count, "more control data than bytes")
        for message in messages {
            _ = message.integer
            guard let error = QueuedError(message) else { continue }
            require([nil, 4, 16].contains(error.offender?.count), "a sender with another length")
            let finding = ICMPUnreachable.finding(
                error,
                to: target,
                code: .icmpUnreachable,
                hasRoute: flags & 2 != 0,
                isOwn: { _ in flags & 4 != 0 }
            )
            require((finding != nil) == (ICMPUnreachable.reason(error) != nil), "a reason without a finding")
            guard let finding else { continue }
            require(finding.subject == target.description, "a finding for another target")
            require(finding.evidence.utf8.count < 256, "evidence without a bound")
        }
    }

    /// Exactly the request's own bytes are its reply, but for the type, and for the fields that the kernel checks.
    private static func checkReply(_ bytes: [UInt8], isIPv6: Bool) {
        let message = ICMPEchoMessage(isIPv6: isIPv6, sequence: 0x0102, payload: payload)
        var expected = message.request
        expected[0] = isIPv6 ? 129 : 0
        var received = bytes
        for index in 2..<6 where received.indices.contains(index) { received[index] = 0 }
        require(message.isAnswered(by: bytes) == (received == expected), "a reply is taken for another datagram")
    }
}
