internal import FoundationEssentials
internal import SwiftASN1

/// Encodes the parts of certificates in DER, without any validation.
enum DEREncoding {
    static func primitive(_ identifier: ASN1Identifier, _ content: [UInt8]) -> [UInt8] {
        var serializer = DER.Serializer()
        serializer.appendPrimitiveNode(identifier: identifier) { $0.append(contentsOf: content) }
        return serializer.serializedBytes
    }

    static func constructed(_ identifier: ASN1Identifier, _ parts: [[UInt8]]) -> [UInt8] {
        var serializer = DER.Serializer()
        serializer.appendConstructedNode(identifier: identifier) { node in
            for part in parts { node.serializeRawBytes(part) }
        }
        return serializer.serializedBytes
    }

    static func sequence(_ parts: [UInt8]...) -> [UInt8] { constructed(.sequence, parts) }

    static func sequence(of parts: [[UInt8]]) -> [UInt8] { constructed(.sequence, parts) }

    static func set(_ parts: [UInt8]...) -> [UInt8] { constructed(.set, parts) }

    /// Returns an explicit context-specific tag around `parts`, or an implicit one of a constructed type.
    static func tagged(_ number: UInt, _ parts: [UInt8]...) -> [UInt8] { tagged(number, of: parts) }

    static func tagged(_ number: UInt, of parts: [[UInt8]]) -> [UInt8] {
        constructed(ASN1Identifier(tagWithNumber: number, tagClass: .contextSpecific), parts)
    }

    /// Returns an implicit context-specific tag instead of a primitive type's own.
    static func implicit(_ number: UInt, _ content: [UInt8]) -> [UInt8] {
        primitive(ASN1Identifier(tagWithNumber: number, tagClass: .contextSpecific), content)
    }

    static func boolean(_ value: Bool) -> [UInt8] { primitive(.boolean, [value ? 0xFF : 0x00]) }

    static func integer(_ value: Int) -> [UInt8] {
        var bytes = (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * $0)) }
        while let first = bytes.first, let second = bytes.dropFirst().first,
            (first == 0x00 && second < 0x80) || (first == 0xFF && second >= 0x80)
        {
            bytes.removeFirst()
        }
        return primitive(.integer, bytes)
    }

    static func octetString(_ content: [UInt8]) -> [UInt8] { primitive(.octetString, content) }

    static func bitString(_ content: [UInt8], unusedBits: UInt8 = 0) -> [UInt8] {
        primitive(.bitString, [unusedBits] + content)
    }

    static var null: [UInt8] { primitive(.null, []) }
}

/// The textual form of DER (RFC 7468).
enum PEMText {
    static func encode(_ label: String, _ der: [UInt8]) -> String {
        let base64 = Array(Data(der).base64EncodedString())
        let lines = stride(from: 0, to: base64.count, by: 64).map { start in
            String(base64[start..<min(start + 64, base64.count)])
        }
        return (["-----BEGIN \(label)-----"] + lines + ["-----END \(label)-----", ""]).joined(separator: "\n")
    }
}
