package import CheckResults

extension HTTPURL {
    /// Parses a host: an IPv6 address in brackets, an IPv4 address in four decimal parts, or a name.
    ///
    /// Other forms of addresses (`127.1`, `0x7f000001`) are rejected: resolvers take them for addresses, and a policy
    /// that compares names would not.
    package static func host(_ text: String) throws(HTTPURLError) -> ServerIdentity {
        guard !text.isEmpty else { throw .emptyHost }
        if text.utf8.first == UInt8(ascii: "[") { return try addressInBrackets(text) }
        if let bytes = IPAddressText.bytes(of: text), bytes.count == 4 { return .address(bytes) }
        return .name(try name(text))
    }

    private static func addressInBrackets(_ text: String) throws(HTTPURLError) -> ServerIdentity {
        let inner = String(text.dropFirst().dropLast())
        guard !inner.utf8.contains(UInt8(ascii: "%")) else { throw .zone(inner) }
        guard let bytes = IPAddressText.bytes(of: inner), bytes.count == 16 else {
            throw .invalidHost(text, reason: "is not an IPv6 address in brackets")
        }
        return .address(bytes)
    }

    /// Returns the name in lower case without a trailing dot.
    private static func name(_ text: String) throws(HTTPURLError) -> String {
        guard text.utf8.allSatisfy({ $0 < 0x80 }) else { throw .internationalizedHost(text) }
        let lowered = text.lowercased()
        let name = lowered.hasSuffix(".") ? String(lowered.dropLast()) : lowered
        guard !name.isEmpty, name.utf8.count <= 253 else {
            throw .invalidHost(text, reason: "is not 1 to 253 characters long")
        }
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        for label in labels {
            guard (1...63).contains(label.utf8.count) else {
                throw .invalidHost(text, reason: "has a label that is not 1 to 63 characters long")
            }
            guard label.utf8.allSatisfy(isNameByte) else {
                throw .invalidHost(text, reason: "holds characters that names of hosts do not have")
            }
            guard !label.hasPrefix("-"), !label.hasSuffix("-") else {
                throw .invalidHost(text, reason: "has a label that begins or ends with a hyphen")
            }
        }
        if let last = labels.last, isNumber(last) {
            throw .invalidHost(text, reason: "ends in a number and is not an IPv4 address in four decimal parts")
        }
        return name
    }

    /// Returns whether a byte is a letter in lower case, a digit, a hyphen, or an underscore, which many names have in
    /// spite of RFC 952.
    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
            UInt8(ascii: "_"):
            true
        default:
            false
        }
    }

    /// Returns whether inet_aton(3) would parse the label as a number.
    private static func isNumber(_ label: Substring) -> Bool {
        if label.hasPrefix("0x") {
            return label.dropFirst(2).allSatisfy { $0.isHexDigit }
        }
        return label.allSatisfy { $0.isNumber }
    }
}
