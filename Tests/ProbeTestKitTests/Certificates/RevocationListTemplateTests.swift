import ProbeTestKit
import SwiftASN1
import Testing

@Suite
struct RevocationListTemplateTests {
    private func children(_ node: ASN1Node) throws -> [ASN1Node] {
        guard case .constructed(let nodes) = node.content else { return [] }
        return Array(nodes)
    }

    @Test
    func `a list names what was revoked, and is signed by its issuer`() throws {
        let authority = try TestAuthority.standard()
        let list = try authority.intermediate.revocationList(
            RevocationListTemplate(revoking: [.init(serialNumber: authority.leaf.serialNumber, reason: 1)])
        )
        let parts = try children(try DER.parse(list))
        #expect(parts.count == 3)
        let signed = try children(try #require(parts.first))
        // Version, algorithm, issuer, two times, the entries, the extensions.
        #expect(signed.count == 7)
        #expect(Array(signed[2].encodedBytes) == authority.intermediate.subject.der)
        let entries = try children(signed[5])
        let entry = try children(try #require(entries.first))
        #expect(Array(try #require(entry.first).encodedBytes.dropFirst(2)) == authority.leaf.serialNumber)
    }

    @Test
    func `an empty list has no entries, and may have no next update`() throws {
        let authority = try TestAuthority.standard()
        let list = try authority.root.revocationList(RevocationListTemplate(nextUpdate: nil))
        #expect(try children(try #require(try children(try DER.parse(list)).first)).count == 5)
    }
}
