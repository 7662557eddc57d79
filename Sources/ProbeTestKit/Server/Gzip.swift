/// Bodies in the gzip format (RFC 1952), valid ones and bombs.
public enum Gzip {
    /// Returns the bytes in stored blocks (RFC 1951, section 3.2.4), without compression.
    public static func stored(_ bytes: [UInt8]) -> [UInt8] {
        var output = header
        var rest = bytes[...]
        repeat {
            let block = rest.prefix(0xffff)
            rest = rest.dropFirst(block.count)
            let length = UInt16(block.count)
            output.append(rest.isEmpty ? 1 : 0)
            output += littleEndian(length) + littleEndian(~length) + block
        } while !rest.isEmpty
        var checksum = CyclicRedundancyCheck()
        checksum.update(bytes)
        return output + littleEndian(checksum.value) + littleEndian(UInt32(truncatingIfNeeded: bytes.count))
    }

    /// Returns a valid stream of about a thousandth of `size` bytes that decompresses to at least `size` zeros.
    ///
    /// One Huffman block with two bits for each 258 bytes, the maximum compression of DEFLATE (about 1032 to 1).
    public static func bomb(of size: Int) -> [UInt8] {
        var bits = BitWriter()
        bits.append(0b1, 1)  // the last block
        bits.append(0b10, 2)  // dynamic codes
        bits.append(29, 5)  // 286 literal and length codes
        bits.append(0, 5)  // 1 distance code
        bits.append(14, 4)  // 18 code length codes
        // Code length codes, in the order of RFC 1951: 18 has one bit, 1 and 2 have two.
        for length in [0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 2] { bits.append(length, 3) }
        let zeros = 0b0, one = 0b01, two = 0b11  // 0, 10 and 11, with their first bit lowest
        bits.append(two, 2)  // literal 0: 10
        bits.append(zeros, 1)
        bits.append(138 - 11, 7)
        bits.append(zeros, 1)
        bits.append(117 - 11, 7)  // literals 1 to 255 do not occur
        bits.append(two, 2)  // the end of the block: 11
        bits.append(zeros, 1)
        bits.append(28 - 11, 7)  // lengths below 258 do not occur
        bits.append(one, 2)  // length 258: 0
        bits.append(one, 2)  // distance 1: 0
        bits.append(0b01, 2)  // one literal 0, which the matches repeat
        let matches = (max(1, size) - 1 + 257) / 258
        for _ in 0..<matches % 4 { bits.append(0, 2) }
        bits.appendZeroBytes(matches / 4)
        bits.append(0b11, 2)
        let total = matches * 258 + 1
        var checksum = CyclicRedundancyCheck()
        checksum.updateWithZeros(total)
        return header + bits.bytes + littleEndian(checksum.value) + littleEndian(UInt32(truncatingIfNeeded: total))
    }

    private static let header: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]

    private static func littleEndian<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
        (0..<Value.bitWidth / 8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}

/// Writes bits from the lowest of each byte on, as DEFLATE requires.
private struct BitWriter {
    private(set) var bytes: [UInt8] = []
    private var used = 8

    mutating func append(_ value: Int, _ count: Int) {
        for position in 0..<count {
            if used == 8 {
                bytes.append(0)
                used = 0
            }
            bytes[bytes.count - 1] |= UInt8(truncatingIfNeeded: value >> position & 1) << used
            used += 1
        }
    }

    /// Appends a number of zero bytes.
    mutating func appendZeroBytes(_ count: Int) { bytes += [UInt8](repeating: 0, count: count) }
}

/// The CRC-32 of gzip (RFC 1952 section 8).
private struct CyclicRedundancyCheck {
    private static let polynomial: UInt32 = 0xedb8_8320
    private var register = UInt32.max

    var value: UInt32 { ~register }

    mutating func update(_ bytes: [UInt8]) {
        for byte in bytes {
            register ^= UInt32(byte)
            for _ in 0..<8 { register = register >> 1 ^ (register & 1 == 0 ? 0 : Self.polynomial) }
        }
    }

    /// Adds zero bytes in logarithmic time: each multiplies the register by x^8 modulo the polynomial.
    mutating func updateWithZeros(_ count: Int) {
        var power: UInt32 = 1 << 23  // x^8, with the highest power in the lowest bit
        var rest = count
        while rest > 0 {
            if rest & 1 == 1 { register = Self.product(register, power) }
            power = Self.product(power, power)
            rest >>= 1
        }
    }

    private static func product(_ left: UInt32, _ right: UInt32) -> UInt32 {
        var result: UInt32 = 0
        var factor = right
        for position in stride(from: 31, through: 0, by: -1) {
            if left >> position & 1 == 1 { result ^= factor }
            factor = factor >> 1 ^ (factor & 1 == 0 ? 0 : polynomial)
        }
        return result
    }
}
