import AgentTestKit
internal import Testing

@testable internal import NetlinkMonitor

/// Arithmetic on single bits, written the slow and obvious way: what the filter's program is compared with.
extension IPAddress {
    /// The address with all bits behind a prefix's length 0.
    func masked(to length: Int) -> IPAddress {
        changingBits { bit, isSet in bit < length && isSet }
    }

    /// The address with one bit turned.
    func turningBit(_ bit: Int) -> IPAddress {
        changingBits { candidate, isSet in candidate == bit ? !isSet : isSet }
    }

    private func changingBits(_ change: (Int, Bool) -> Bool) -> IPAddress {
        var bytes = networkBytes
        for bit in 0..<family.bitWidth {
            let mask = UInt8(0x80) >> (bit % 8)
            let isSet = change(bit, bytes[bit / 8] & mask != 0)
            bytes[bit / 8] = isSet ? bytes[bit / 8] | mask : bytes[bit / 8] & ~mask
        }
        return IPAddress(networkBytes: bytes) ?? self
    }

    static func random(_ family: AddressFamily, _ generator: inout SplitMix) throws -> IPAddress {
        let bytes = (0..<family.bitWidth / 8).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        return try #require(IPAddress(networkBytes: bytes))
    }
}

extension IPPrefix {
    func covers(_ other: IPAddress) -> Bool {
        other.family == address.family && other.masked(to: length) == address.masked(to: length)
    }
}
