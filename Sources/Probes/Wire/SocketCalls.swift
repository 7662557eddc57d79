internal import CheckResults
internal import Glibc

/// System calls with socket addresses, which C declares as pointers to another type.
enum SocketCalls {
    /// Connects a socket, and returns the errno value of the failure.
    static func connect(_ descriptor: CInt, to address: UnsafeRawBufferPointer) -> CInt? {
        guard let base = address.baseAddress else { return EFAULT }
        return base.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            Glibc.connect(descriptor, $0, socklen_t(address.count)) == 0 ? nil : errno
        }
    }

    /// Connects a socket to an endpoint, and returns the errno value of the failure.
    static func connect(_ descriptor: CInt, to target: WireEndpoint, interface: String?) -> CInt? {
        target.isIPv6
            ? withUnsafeBytes(of: target.ipv6(interface: interface)) { connect(descriptor, to: $0) }
            : withUnsafeBytes(of: target.ipv4) { connect(descriptor, to: $0) }
    }

    /// Returns the local address and port that the kernel has selected for a socket.
    static func localAddress(of descriptor: CInt) -> (address: HostAddress, port: UInt16)? {
        withUnsafeTemporaryAllocation(byteCount: 128, alignment: 8) { storage in
            var length = socklen_t(storage.count)
            guard let base = storage.baseAddress,
                getsockname(descriptor, base.assumingMemoryBound(to: sockaddr.self), &length) == 0
            else { return nil }
            let bytes = UnsafeRawBufferPointer(rebasing: storage.prefix(Int(clamping: length)))
            guard let address = HostAddress(socketAddress: bytes) else { return nil }
            return (address, UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self)))
        }
    }
}
