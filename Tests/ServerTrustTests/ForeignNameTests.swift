import AgentTestKit
import ForeignText
import ProbeTestKit
import SwiftASN1
import Testing

@testable import ServerTrust

/// Names that strangers wrote: compared by RFC 5280's rule at a bounded cost, and shown with a bound.
@Suite struct ForeignNameTests {
    @Test(arguments: [
        ("Host Test", "host test", true), ("  a   b ", "A B", true), ("a\t\r\nb", "a b", true), ("ab", "a b", false),
        ("a", "b", false), ("", " ", true), ("É", "é", true), ("é", "e\u{301}", true), ("e", "é", false),
        ("a\u{A0}b", "a b", true), ("\u{212A}", "k", true), ("ſ", "s", false), ("straße", "strasse", false),
        (String(repeating: "É", count: 2000), String(repeating: "é", count: 2000), true),
        (String(repeating: "a ", count: 40_000), String(repeating: "A  ", count: 40_000), true),
    ])
    func `letter case, the width of spaces and the form of accents do not count`(
        _ one: String,
        _ other: String,
        _ isEqual: Bool
    ) {
        let names = [one, other].map { ComparableName(ForeignText($0)) }
        #expect((names[0] == names[1]) == isEqual)
        #expect((names[1] == names[0]) == isEqual)
    }

    @Test func `short names compare as whole strings do`() {
        func folded(_ text: String) -> String {
            text.split(whereSeparator: \.isWhitespace).joined(separator: " ").lowercased()
        }
        var random = SplitMix(state: 7)
        let letters = ["a", "A", "b", " ", "\t", "é", "e\u{301}", "É", "ß", "İ", "\u{3000}", "Ω", "\u{2126}"]
        for _ in 0..<5000 {
            let texts = (0..<2).map { _ in
                (0..<Int.random(in: 0...4, using: &random)).map { _ in letters.randomElement(using: &random) ?? "" }
                    .joined()
            }
            let names = texts.map { ComparableName(ForeignText($0)) }
            #expect((names[0] == names[1]) == (folded(texts[0]) == folded(texts[1])), "\(texts)")
        }
    }

    /// 80 KB of combining marks, which Unicode's canonical order would sort at the square of their number.
    static let marks = String(repeating: "\u{301}\u{323}", count: 20_000)
    static let someMarks = String(repeating: "\u{301}\u{323}", count: 2000)

    @Test(arguments: [nil, SecurityPolicy.PinningMode.publicKey, .certificate])
    func `text from a certificate is bounded wherever it is shown`(_ mode: SecurityPolicy.PinningMode?) async throws {
        let root = try IssuedCertificate.selfSigned(.authority("Root" + Self.someMarks))
        let leaf = try root.issue(
            CertificateTemplate.server(names: (0..<40).map { "n\($0).test" } + [Self.someMarks]).with {
                $0.subject = .common("\u{202E}host.test" + Self.marks)
                $0.serialNumber = Array(repeating: 0x41, count: 4000)
                $0.extensions.append(.raw("1.3.6.1.4.1.99999.1", isCritical: true, [0x05, 0x00]))
                $0.extensions += (0..<40).map { .raw("2.5.29.15", [UInt8($0)]) }
            }
        )
        let pins = [try PinnedCertificate(der: try IssuedCertificate.selfSigned(.authority()).der)]
        let policy = SecurityPolicy(pinningMode: mode ?? .none, pinnedCertificates: pins)
        let evaluator = TrustEvaluator(policy: policy, anchors: TrustAnchors(certificates: []))
        let verdict = await evaluator.evaluate(
            presented: [leaf.der, root.der],
            identity: .name("host.test"),
            at: TestDate.present
        )
        #expect(!verdict.isAccepted)
        #expect(verdict.findings.count < 64)
        for finding in verdict.findings {
            #expect(finding.subject.utf8.count <= 1500 && finding.evidence.utf8.count <= 4003, "\(finding.code)")
            #expect(!"\(finding)".unicodeScalars.contains(where: ForeignText.isActive))
        }
        let description = try #require(verdict.presentedChain.first)
        // Byte by byte: to a string, the marks belong to the last letter.
        #expect(description.subject.utf8.starts(with: "CN=\\u{202e}host.test".utf8))
        #expect(description.subject.utf8.count < 8000 && description.issuer.utf8.count < 8000)
        #expect(description.serialNumber == String(repeating: "41", count: 64) + "…")
    }

    @Test func `a relative name with too many attributes is undecodable`() throws {
        func name(_ count: Int) -> [UInt8] {
            let attribute: [UInt8] = [0x30, 0x08, 0x06, 0x03, 0x55, 0x04, 0x03, 0x0C, 0x01, 0x61]
            let set = Array(repeatElement(attribute, count: count).joined())
            let inner = [0x31, 0x81, UInt8(set.count)] + set
            return [0x30, 0x81, UInt8(inner.count)] + inner
        }
        for (count, isName) in [(13, true), (16, true), (17, false)] {
            let node = try #require(ASN1Node.parsing(name(count)))
            #expect((DistinguishedName(node, within: .unlimited()) != nil) == isName, "\(count)")
        }
    }
}
