internal import ForeignText
internal import SwiftASN1

extension ASN1Node {
    /// The children of a constructed node; nil for a primitive one.
    var children: [ASN1Node]? {
        guard case .constructed(let nodes) = content else { return nil }
        return Array(nodes)
    }

    /// The content of a primitive node; nil for a constructed one.
    var primitiveBytes: [UInt8]? {
        guard case .primitive(let bytes) = content else { return nil }
        return [UInt8](bytes)
    }

    /// The children of a SEQUENCE; nil for anything else.
    var sequence: [ASN1Node]? { identifier == .sequence ? children : nil }

    /// An OBJECT IDENTIFIER in dotted form; nil for anything else.
    var objectIdentifier: ForeignText? {
        guard identifier == .objectIdentifier, let bytes = primitiveBytes else { return nil }
        return ForeignText(objectIdentifier: bytes)
    }

    /// The content of a minimal INTEGER, in two's complement; nil for anything else.
    var integerBytes: [UInt8]? { identifier == .integer ? implicitIntegerBytes : nil }

    /// The content of a minimal INTEGER whose tag is another one; nil for anything else.
    var implicitIntegerBytes: [UInt8]? {
        guard let bytes = primitiveBytes, let first = bytes.first else { return nil }
        if bytes.count > 1, first == 0 && bytes[1] < 0x80 || first == 0xFF && bytes[1] >= 0x80 { return nil }
        return bytes
    }

    /// A BOOLEAN in DER; nil for anything else.
    var boolean: Bool? {
        guard identifier == .boolean else { return nil }
        switch primitiveBytes {
        case [0x00]: return false
        case [0xFF]: return true
        default: return nil
        }
    }

    /// The bytes of a BIT STRING that ends on a byte; nil for anything else.
    var wholeBits: [UInt8]? {
        guard identifier == .bitString, let bytes = primitiveBytes, bytes.first == 0 else { return nil }
        return Array(bytes.dropFirst())
    }

    /// The octets of a BIT STRING, whatever its tag; nil unless its unused bits are there and zero (X.690, 11.2.1).
    var bitOctets: [UInt8]? {
        guard let bytes = primitiveBytes, let unused = bytes.first, unused < 8 else { return nil }
        let octets = Array(bytes.dropFirst())
        return unused <= (octets.last?.trailingZeroBitCount ?? 0) ? octets : nil
    }

    /// The number of a context-specific tag; nil for other classes.
    var contextTag: UInt? { identifier.tagClass == .contextSpecific ? identifier.tagNumber : nil }

    /// Parses one DER value that fills `bytes`; nil on failure.
    static func parsing(_ bytes: some Collection<UInt8>) -> ASN1Node? { try? DER.parse([UInt8](bytes)) }

    /// The steps to decode the node: the allocations for the shortest one cost as much as tens of bytes.
    var steps: Int { 64 + encodedBytes.count * 2 }

    /// Parses one DER value that fills `bytes`; nil on failure, for more than ``maximumValues``, and once the budget is
    /// exceeded.
    static func parsing(_ bytes: [UInt8], within budget: WorkBudget) -> ASN1Node? {
        // The parser cannot be stopped, so that the number of values, and not of bytes, limits its time.
        budget.allows(bytes.count * 2) && valueCount(in: bytes) <= maximumValues ? parsing(bytes) : nil
    }

    /// The maximum number of values of a certificate or an extension; the largest real ones have some thousands.
    static let maximumValues = 1 << 14

    /// Returns the number of values at all levels before the first malformed one, which is where a parser stops too.
    static func valueCount(in bytes: [UInt8]) -> Int {
        var count = 0
        var next = 0
        // Two bytes at least: an identifier and a length.
        while next + 1 < bytes.count {
            let identifier = bytes[next]
            next += 1
            if identifier & 0x1F == 0x1F {
                while next < bytes.count, bytes[next] >= 0x80 { next += 1 }
                next += 1
                guard next < bytes.count else { break }
            }
            var length = Int(bytes[next])
            next += 1
            if length >= 0x80 {
                let octets = length & 0x7F
                guard (1...4).contains(octets), octets <= bytes.count - next else { break }
                length = bytes[next..<next + octets].reduce(0) { $0 << 8 | Int($1) }
                next += octets
            }
            guard length <= bytes.count - next else { break }
            count += 1
            let isConstructed = identifier & 0x20 != 0
            if !isConstructed { next += length }
        }
        return count
    }
}

extension Collection<ASN1Node> {
    /// `true` if these can be the optional fields of one sequence in DER: in the order of their tags, and none twice.
    var haveAscendingTags: Bool {
        var next: UInt = 0
        for node in self {
            guard let tag = node.contextTag, tag >= next else { return false }
            next = tag + 1
        }
        return true
    }
}

extension [ASN1Node] {
    /// Returns the decoded nodes without the invalid ones, and none after the budget is exceeded.
    func decoded<Value>(within budget: WorkBudget, _ decode: (ASN1Node) -> Value?) -> [Value] {
        var values: [Value] = []
        for node in self {
            guard budget.allows(node.steps) else { break }
            if let value = decode(node) { values.append(value) }
        }
        return values
    }
}

extension [UInt8] {
    /// Returns the start in hexadecimal digits, with an ellipsis if it was truncated.
    func shownHexadecimal(limit: Int = 64) -> String {
        count > limit ? Array(prefix(limit)).hexadecimal + "…" : hexadecimal
    }

    /// The bytes as two lower-case hexadecimal digits each.
    var hexadecimal: String {
        let digits = Array<UInt8>("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(count * 2)
        for byte in self {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 0xF)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}
