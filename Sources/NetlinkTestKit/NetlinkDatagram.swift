/// What one read of a netlink socket gives: any number of messages behind each other.
///
/// The bytes may be spoilt on purpose, to see what a parser does with them.
public struct NetlinkDatagram: Sendable, Hashable {
    /// The bytes.
    public var bytes: [UInt8]

    /// A datagram with these bytes.
    public init(bytes: [UInt8]) { self.bytes = bytes }

    /// A datagram with these messages.
    public init(_ messages: [MessageBuilder]) { bytes = messages.flatMap(\.bytes) }

    /// The datagram cut off after some bytes.
    public func truncated(to count: Int) -> NetlinkDatagram { NetlinkDatagram(bytes: Array(bytes.prefix(count))) }

    /// Every way to cut the datagram off, from nothing to all but its last byte.
    public var truncations: some Sequence<NetlinkDatagram> {
        bytes.indices.lazy.map { truncated(to: $0) }
    }

    /// The datagram with other bytes in one place; what would lie behind its end is left out.
    public func replacing(at offset: Int, with new: [UInt8]) -> NetlinkDatagram {
        var copy = bytes
        for (index, byte) in zip(offset..., new) where copy.indices.contains(index) { copy[index] = byte }
        return NetlinkDatagram(bytes: copy)
    }

    /// The datagram with another length in its first message's header.
    public func claiming(length: UInt32) -> NetlinkDatagram { replacing(at: 0, with: hostBytes(length)) }

    /// Every way to give one 16-bit word of the datagram another value: lengths and types are such words.
    public func corruptions(with value: UInt16) -> some Sequence<NetlinkDatagram> {
        stride(from: 0, to: bytes.count - 1, by: 2).lazy.map { replacing(at: $0, with: hostBytes(value)) }
    }

    /// Lends the bytes, aligned as the kernel's are.
    public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try bytes.withUnsafeBytes(body)
    }
}
