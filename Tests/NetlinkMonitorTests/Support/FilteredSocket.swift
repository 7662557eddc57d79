internal import Glibc
internal import NetlinkTestKit

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

    /// Whether the kernel's filter lets a message through; it runs while the message is sent, so nothing is waited for.
    func passes(_ message: MessageBuilder) -> Bool {
        let bytes = message.bytes
        _ = send(sender, bytes, bytes.count, 0)
        var buffer = [UInt8](repeating: 0, count: 4096)
        return recv(receiver, &buffer, buffer.count, 0) == bytes.count
    }
}
