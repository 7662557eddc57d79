internal import CheckResults
internal import EventLoopExecutor
internal import Glibc
internal import LinuxSupport

/// A datagram socket connected to one address: for UDP, or for unprivileged ICMP (icmp(7), `ping_group_range`).
///
/// The kernel queues ICMP errors, and delivers UDP datagrams from that address only. For ICMP it fills in an echo request's
/// identifier and checksum, and delivers each reply with that identifier, whatever its source address. NIO's datagram
/// channels are not used because they crash the process with a failed precondition on unexpected ICMP errors from
/// routers. Not thread-safe.
final class DatagramSocket {
    /// The transport protocol.
    enum Transport {
        case udp, icmp
    }

    /// A received datagram or error.
    struct Received {
        var bytes: [UInt8]
        var control: [ControlMessage]
    }

    let descriptor: CInt
    private let isIPv6: Bool
    private let isICMP: Bool
    /// The size of the largest datagram that is received whole: a DNS server may exceed the size that it was offered, and
    /// a longer message is not the reply to an echo request.
    private var maximumSize: Int { isICMP ? 2048 : Int(UInt16.max) }
    /// The thread that waits for the socket, once it does.
    private var watcher: ReadinessThread?

    /// Opens the socket.
    ///
    /// - Throws: A finding, in a ``WireFailure``.
    init(
        _ transport: Transport,
        to target: WireEndpoint,
        interface: String?,
        hopLimit: UInt8? = nil
    ) throws(WireFailure) {
        isIPv6 = target.isIPv6
        isICMP = transport == .icmp
        let number =
            switch transport {
            case .udp: CInt(IPPROTO_UDP)
            case .icmp: target.isIPv6 ? CInt(IPPROTO_ICMPV6) : CInt(IPPROTO_ICMP)
            }
        descriptor = socket(target.isIPv6 ? AF_INET6 : AF_INET, SocketType.datagram, number)
        guard descriptor >= 0 else {
            switch transport {
            case .udp:
                throw WireFailure(
                    finding: SystemFinding.make(errno, operation: "open a socket", subject: target.description)
                )
            case .icmp: throw WireFailure(finding: ICMPPermission.finding(errno, target: target))
            }
        }
        if let interface { try InterfaceBinding.apply(interface, toSocket: descriptor) }
        set(isIPv6 ? IPV6_RECVERR : IP_RECVERR, 1)
        set(isIPv6 ? IPV6_RECVHOPLIMIT : IP_RECVTTL, 1)
        if let hopLimit { set(isIPv6 ? IPV6_UNICAST_HOPS : IP_TTL, CInt(hopLimit)) }
        try connect(to: target, interface: interface)
    }

    deinit {
        watcher?.forget(descriptor)
        if descriptor >= 0 { close(descriptor) }
    }

    /// Calls a closure once, on an event loop, when the socket is readable or has an error.
    ///
    /// Another call replaces the closure. It may still be called when the socket has just ended.
    ///
    /// - Throws: ``SystemError`` if the thread that waits cannot be started.
    func whenReadable(on gate: LoopGate, _ body: @escaping @Sendable () -> Void) throws(SystemError) {
        let thread = try ReadinessThread.shared()
        thread.watch(descriptor) { gate.execute(body) }
        watcher = thread
    }

    private func set(_ option: CInt, _ value: CInt) {
        var value = value
        let level = isIPv6 ? CInt(IPPROTO_IPV6) : CInt(IPPROTO_IP)
        setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<CInt>.size))
    }

    private func connect(to target: WireEndpoint, interface: String?) throws(WireFailure) {
        if let error = SocketCalls.connect(descriptor, to: target, interface: interface) {
            let route = LocalRoute(to: target, over: interface, by: isICMP ? .icmp : .udp)
            throw WireFailure(
                finding: SystemFinding.make(error, operation: "connect", over: route, isLocal: true)
            )
        }
    }

    /// The local address and, for UDP, the port that the kernel selected.
    var localAddress: WireEndpoint? {
        SocketCalls.localAddress(of: descriptor).map { local in
            // An ICMP socket has its identifier in place of the port.
            WireEndpoint(local.address, port: isICMP ? 0 : local.port)
        }
    }

    /// Sends a message; the kernel fills in its identifier and checksum.
    func send(_ message: [UInt8]) throws(SystemError) {
        let sent = Glibc.send(descriptor, message, message.count, 0)
        guard sent >= 0 else { throw SystemError(errno: errno) }
    }

    /// Reads a datagram; nil when none is available.
    func receive() throws(SystemError) -> Received? { try receive(flags: 0) }

    /// Reads an error from the error queue; nil when there is none.
    func receiveError() -> QueuedError? {
        guard let received = try? receive(flags: CInt(MSG_ERRQUEUE)) else { return nil }
        return received.control.lazy.compactMap(QueuedError.init).first
    }

    private func receive(flags: CInt) throws(SystemError) -> Received? {
        var bytes = [UInt8](repeating: 0, count: maximumSize)
        var control = [UInt8](repeating: 0, count: 512)
        var controlLength = 0
        let count = bytes.withUnsafeMutableBytes { bytes in
            control.withUnsafeMutableBytes { control in
                var part = iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
                return withUnsafeMutablePointer(to: &part) { part in
                    var header = msghdr()
                    header.msg_iov = part
                    header.msg_iovlen = 1
                    header.msg_control = control.baseAddress
                    header.msg_controllen = .init(control.count)
                    let count = recvmsg(descriptor, &header, flags)
                    controlLength = Int(clamping: header.msg_controllen)
                    return count
                }
            }
        }
        guard count >= 0 else {
            if errno == EAGAIN || errno == EINTR { return nil }
            throw SystemError(errno: errno)
        }
        return Received(
            bytes: Array(bytes.prefix(count)),
            control: ControlMessage.all(in: Array(control.prefix(controlLength)))
        )
    }
}

/// The types of socket(2) as integers.
enum SocketType {
    static let datagram = CInt(SOCK_DGRAM.rawValue) | flags
    private static let flags = CInt(SOCK_NONBLOCK.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
}

/// The reason the kernel denies this process an ICMP socket.
package enum ICMPPermission {
    private static let path = "/proc/sys/net/ipv4/ping_group_range"

    /// Returns a finding for a failure of socket(2).
    static func finding(_ error: CInt, target: WireEndpoint) -> Finding {
        switch error {
        case EACCES, EPERM:
            let range = groupRange ?? "unreadable"
            return Finding(
                .icmpNotPermitted,
                subject: target.description,
                evidence: "net.ipv4.ping_group_range is '\(range)', and this process has group \(getegid())"
            )
        default: return SystemFinding.make(error, operation: "open an ICMP socket", subject: target.description)
        }
    }

    /// The first and the last group that may send echo requests, in the kernel's format: `1 0` means none.
    package static var groupRange: String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = read(descriptor, &bytes, bytes.count)
        guard count > 0 else { return nil }
        let words = String(decoding: bytes.prefix(count), as: UTF8.self).split { $0.isWhitespace }
        return words.joined(separator: " ")
    }
}
