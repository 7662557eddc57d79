import ForeignText
import SwiftASN1
import Testing

@testable import ServerTrust

/// Object identifiers in their dotted form (ITU-T X.690, section 8.19).
@Suite struct ObjectIdentifierTests {
    private static func node(_ content: [UInt8]) -> ASN1Node? { ASN1Node.parsing(TrustCost.der(0x06, content)) }

    /// An arc of octets that are all ones.
    private static func ones(_ octets: Int) -> [UInt8] { [UInt8](repeating: 0xFF, count: octets - 1) + [0x7F] }

    static let valid: [([UInt8], String)] = [
        ([0x00], "0.0"), ([0x27], "0.39"), ([0x28], "1.0"), ([0x4F], "1.39"), ([0x50], "2.0"), ([0x7F], "2.47"),
        ([0x88, 0x37], "2.999"), ([0x55, 0x1D, 0x11], "2.5.29.17"),
        ([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D], "1.2.840.113549"),
        ([0x2A, 0x00, 0x00], "1.2.0.0"), ([0x2A] + ones(9), "1.2.9223372036854775807"),
        // 2⁶³ and 2⁶⁴, which SwiftASN1 rejects.
        ([0x2A, 0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00], "1.2.9223372036854775808"),
        ([0x2A, 0x82, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00, 0x05], "1.2.18446744073709551616.5"),
        // 10⁹ and 10¹⁸, the first numbers with one more limb.
        ([0x2A, 0x83, 0xDC, 0xEB, 0x94, 0x00], "1.2.1000000000"),
        ([0x2A, 0x8D, 0xF0, 0xAD, 0xD6, 0xBA, 0xBB, 0x90, 0x80, 0x00], "1.2.1000000000000000000"),
        // A first arc that has a borrow: 10⁹ + 5 less 80.
        ([0x83, 0xDC, 0xEB, 0x94, 0x05], "2.999999925"),
        // The example of ITU-T X.667, section 8.
        (
            [
                0x69, 0x83, 0xF0, 0x9D, 0xA7, 0xEB, 0xCF, 0xDE, 0xE0, 0xC7, 0xA1, 0xA7, 0xB2, 0xC0, 0x94, 0x8C,
                0xC8, 0xF9, 0xD7, 0x76,
            ],
            "2.25.329800735698586629295641978511506172918"
        ),
    ]

    @Test(arguments: valid)
    func `an arc may have any value`(_ content: [UInt8], _ text: String) throws {
        let node = try #require(Self.node(content))
        #expect(node.objectIdentifier.map { $0 == text } == true, "\(String(describing: node.objectIdentifier))")
    }

    @Test func `identifiers that differ in a bit of an arc of 64 octets have different texts`() throws {
        var texts: Set<ForeignText> = []
        for bit in 0..<512 where bit % 8 != 7 {
            var arc = Self.ones(64)
            arc[bit / 8] ^= UInt8(1) << (bit % 8)
            let text = try #require(Self.node([0x2A] + arc)?.objectIdentifier)
            #expect(text.bytes.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") })
            texts.insert(text)
        }
        #expect(texts.count == 448)
    }

    @Test(
        arguments: [
            [], [0x80], [0x81], [0x80, 0x01], [0x2A, 0x80, 0x01], [0x2A, 0x80], [0x2A, 0xFF], [0x2A] + ones(65),
            [UInt8](repeating: 0xFF, count: 1000),
        ] as [[UInt8]]
    )
    func `an identifier that is not minimal, cut or too long is invalid`(_ content: [UInt8]) throws {
        let node = try #require(Self.node(content))
        #expect(node.objectIdentifier == nil)
    }
}
