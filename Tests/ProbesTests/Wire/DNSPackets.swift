/// Bytes from hexadecimal digits in lines, each of which may end with a remark after `;`.
func packet(_ text: String) -> [UInt8] {
    text.split(separator: "\n").flatMap { line -> [UInt8] in
        let digits = line.prefix { $0 != ";" }.filter { !$0.isWhitespace }
        return stride(from: 0, to: digits.count - 1, by: 2).compactMap { position in
            UInt8(digits.dropFirst(position).prefix(2), radix: 16)
        }
    }
}

/// Hand-made DNS messages.
enum DNSPackets {
    /// `www.example.test A`, by way of an alias; every name but the first is compressed.
    static let aliased = packet(
        """
        1234            ; id
        8580            ; response, aa, rd, ra
        0001 0002 0000 0001
        03 777777       ; offset 12: www
        07 6578616d706c65
        04 74657374 00
        0001 0001       ; A, IN
        c00c            ; www.example.test
        0005 0001       ; CNAME
        0000003c 0007
        04 7765623a     ; offset 46: web:
        c010            ; .example.test
        c02e            ; web:.example.test, in the data before
        0001 0001       ; A
        00000e10 0004
        c0000207        ; 192.0.2.7
        00 0029 04d0    ; OPT, 1232 bytes
        01000000 0000   ; the upper bits of the response code are 1
        """
    )

    /// A response without a question and with one record of the root.
    static func record(type: UInt16, data: [UInt8]) -> [UInt8] {
        func bytes(_ value: Int) -> [UInt8] {
            [UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)]
        }
        let header = packet("0001 8000 0000 0001 0000 0000")
        return header + [0] + bytes(Int(type)) + packet("0001 00000007") + bytes(data.count) + data
    }

    /// A response whose only question's name is made of these bytes, which begin at offset 12.
    static func question(name: [UInt8]) -> [UInt8] {
        packet("0001 8000 0001 0000 0000 0000") + name + packet("0001 0001")
    }
}
