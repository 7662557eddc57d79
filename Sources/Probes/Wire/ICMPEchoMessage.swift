/// An ICMP echo request, and its reply (RFC 792, RFC 4443).
struct ICMPEchoMessage {
    private static let headerSize = 8

    let isIPv6: Bool
    let sequence: UInt16
    let payload: [UInt8]

    /// The type, code, checksum, identifier (both set by the kernel), sequence number and payload.
    var request: [UInt8] {
        let type: UInt8 = isIPv6 ? 128 : 8
        let sequence = [UInt8(truncatingIfNeeded: sequence >> 8), UInt8(truncatingIfNeeded: sequence)]
        return [type, 0, 0, 0, 0, 0] + sequence + payload
    }

    /// Returns `true` for a reply to the request; the kernel has checked its checksum and identifier.
    func isAnswered(by bytes: [UInt8]) -> Bool {
        guard bytes.count == payload.count + Self.headerSize else { return false }
        let type: UInt8 = isIPv6 ? 129 : 0
        return bytes[0] == type && bytes[1] == 0
            && UInt16(bytes[6]) << 8 | UInt16(bytes[7]) == sequence
            && bytes.dropFirst(Self.headerSize).elementsEqual(payload)
    }
}
