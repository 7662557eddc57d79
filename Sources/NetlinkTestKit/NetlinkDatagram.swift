/// The result of one read of a netlink socket: any number of consecutive messages.
///
/// The bytes may be corrupted on purpose, to test a parser.
public struct NetlinkDatagram: Sendable, Hashable {
    /// The bytes.
    public var bytes: [UInt8]

    /// Creates a datagram from bytes.
    public init(bytes: [UInt8]) { self.bytes = bytes }

    /// Creates a datagram from messages.
    public init(_ messages: [MessageBuilder]) { bytes = messages.flatMap(\.bytes) }

    /// Returns the datagram truncated to a number of bytes.
    public func truncated(to count: Int) -> NetlinkDatagram { NetlinkDatagram(bytes: Array(bytes.prefix(count))) }

    /// All truncations of the datagram, from nothing to all but its last byte.
    public var truncations: some Sequence<NetlinkDatagram> {
        bytes.indices.lazy.map { truncated(to: $0) }
    }

    /// Returns the datagram with other bytes at an offset; bytes after its end are dropped.
    public func replacing(at offset: Int, with new: [UInt8]) -> NetlinkDatagram {
        var copy = bytes
        for (index, byte) in zip(offset..., new) where copy.indices.contains(index) { copy[index] = byte }
        return NetlinkDatagram(bytes: copy)
    }

    /// Returns the datagram with another length in its first message's header.
    public func claiming(length: UInt32) -> NetlinkDatagram { replacing(at: 0, with: hostBytes(length)) }

    /// Returns all datagrams with one 16-bit word replaced: lengths and types are such words.
    public func corruptions(with value: UInt16) -> some Sequence<NetlinkDatagram> {
        stride(from: 0, to: bytes.count - 1, by: 2).lazy.map { replacing(at: $0, with: hostBytes(value)) }
    }

    /// Passes the bytes to a closure, aligned as the kernel's are.
    public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try bytes.withUnsafeBytes(body)
    }
}
