/// Percent-encoding (RFC 3986, section 2).
enum PercentEncoding {
    /// The bytes that are not encoded.
    enum Allowed {
        /// The unreserved characters, `/` and `?`: the characters that AFNetworking leaves in the keys and values of a
        /// query.
        case parameter
        /// The characters that RFC 3986, section 3.3, allows in a path.
        case path
        /// The characters that RFC 3986, section 3.4, allows in a query.
        case query

        func contains(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"), UInt8(ascii: "/"):
                true
            case UInt8(ascii: "?"):
                self != .path
            case UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "("),
                UInt8(ascii: ")"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: ","), UInt8(ascii: ";"),
                UInt8(ascii: "="), UInt8(ascii: ":"), UInt8(ascii: "@"):
                self != .parameter
            default:
                false
            }
        }
    }

    /// Returns the text with every disallowed byte encoded, including the percent sign.
    static func encoded(_ text: String, allowing allowed: Allowed) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            if allowed.contains(byte) { bytes.append(byte) } else { append(byte, to: &bytes) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the text with every disallowed byte encoded; existing triplets stay.
    ///
    /// A percent sign that does not begin a triplet is encoded.
    static func normalized(_ text: String, allowing allowed: Allowed) -> String {
        let input = Array(text.utf8)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(input.count)
        for (index, byte) in input.enumerated() {
            let isTriplet =
                byte == UInt8(ascii: "%") && input.count - index > 2 && isHexadecimalDigit(input[index + 1])
                && isHexadecimalDigit(input[index + 2])
            if isTriplet || allowed.contains(byte) { bytes.append(byte) } else { append(byte, to: &bytes) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static let digits = Array("0123456789ABCDEF".utf8)

    private static func append(_ byte: UInt8, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "%"))
        bytes.append(digits[Int(byte >> 4)])
        bytes.append(digits[Int(byte & 15)])
    }

    private static func isHexadecimalDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default:
            false
        }
    }
}
