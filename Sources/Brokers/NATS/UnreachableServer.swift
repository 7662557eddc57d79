internal import Glibc
internal import LinuxSupport
internal import Sinks

/// The reason that no connection with a server could be made, of which libnats says only that no server is available.
enum UnreachableServer {
    /// The time that an address has to answer, in milliseconds.
    private static let patience: Int32 = 1000

    /// Looks up the server's name, and connects to its first address; blocks the calling thread.
    ///
    /// - Returns: The failure; `nil` if the server accepts the connection now.
    static func failure(of server: BrokerAddress.Server) -> TransportFailure? {
        switch NameResolution.lookUp(server.host, flags: 0) {
        case .failure(let failure): return failure
        case .success(let addresses):
            guard let address = addresses.first, let error = error(connectingTo: address, port: "\(server.port)") else {
                return nil
            }
            return TransportFailure(
                code: "broker_unreachable",
                detail: "\(server.authority) cannot be reached: \(error)"
            )
        }
    }

    private static func error(connectingTo address: String, port: String) -> SystemError? {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_NUMERICHOST
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(address, port, &hints, &list) == 0, let entry = list?.pointee else { return nil }
        defer { freeaddrinfo(list) }
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(entry.ai_family, kind, 0)
        guard descriptor >= 0 else { return SystemError(errno: errno) }
        defer { close(descriptor) }
        if connect(descriptor, entry.ai_addr, entry.ai_addrlen) == 0 { return nil }
        guard errno == EINPROGRESS else { return SystemError(errno: errno) }
        var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard poll(&ready, 1, patience) > 0 else { return SystemError(errno: ETIMEDOUT) }
        var number: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &number, &size) == 0, number != 0 else { return nil }
        return SystemError(errno: number)
    }
}
