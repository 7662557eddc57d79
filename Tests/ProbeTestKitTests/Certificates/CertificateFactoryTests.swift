import FoundationEssentials
import ProbeTestKit
import SwiftASN1
import Testing
@_spi(FixedExpiryValidationTime) import X509

@Suite
struct CertificateFactoryTests {
    /// Returns `true` when swift-certificates finds a path, which judges the chain independently of our code.
    private func isValid(
        _ chain: TestAuthority,
        host: String = "host.test",
        at date: Date = TestDate.present
    ) async throws -> Bool {
        var verifier = Verifier(rootCertificates: CertificateStore([try Certificate(derEncoded: chain.root.der)])) {
            RFC5280Policy(fixedExpiryValidationTime: date)
            ServerIdentityPolicy(serverHostname: host, serverIP: nil)
        }
        let result = await verifier.validate(
            leaf: try Certificate(derEncoded: chain.leaf.der),
            intermediates: CertificateStore([try Certificate(derEncoded: chain.intermediate.der)])
        )
        guard case .validCertificate(let path) = result else { return false }
        return path.count == 3
    }

    @Test
    func `the standard chain verifies for its host and for no other`() async throws {
        let chain = try TestAuthority.standard(
            names: ["host.test", "*.sub.test"],
            addresses: ["192.0.2.1", "2001:db8::1"]
        )
        #expect(try await isValid(chain))
        #expect(try await isValid(chain, host: "a.sub.test"))
        #expect(try await !isValid(chain, host: "other.test"))
    }

    @Test
    func `the standard chain is valid in 2026 and not before or after`() async throws {
        let chain = try TestAuthority.standard()
        #expect(try await isValid(chain, at: TestDate.utc(2026, 1, 1, 0, 0, 1)))
        #expect(try await !isValid(chain, at: TestDate.utc(2025, 12, 31, 23, 59, 59)))
        #expect(try await !isValid(chain, at: TestDate.utc(2027, 1, 1, 0, 0, 1)))
    }

    @Test(arguments: [TestKey.Kind.p256, .p384, .p521, .ed25519, .rsa2048, .rsa3072])
    func `a root with any kind of key issues certificates that verify`(kind: TestKey.Kind) async throws {
        let chain = try TestAuthority(
            rootKey: try TestKey(kind, seed: "root"),
            intermediateKey: TestKey(kind, seed: "i")
        )
        #expect(try await isValid(chain))
    }

    @Test(arguments: [
        (TestKey.Kind.p256, SignatureScheme.ecdsaSHA384), (.p384, .ecdsaSHA256), (.p521, .ecdsaSHA512),
        (.ed25519, .ed25519), (.rsa2048, .rsaSHA1), (.rsa2048, .rsaSHA256), (.rsa2048, .rsaSHA384),
        (.rsa2048, .rsaSHA512),
    ])
    func `a signature verifies with the key that made it`(kind: TestKey.Kind, scheme: SignatureScheme) throws {
        let root = try IssuedCertificate.selfSigned(.authority(), key: TestKey(kind, seed: "root"))
        let leaf = try root.issue(.server().with { $0.signatureScheme = scheme })
        let rootKey = try Certificate(derEncoded: root.der).publicKey
        let certificate = try Certificate(derEncoded: leaf.der)
        #expect(rootKey.isValidSignature(certificate.signature, for: certificate))
    }

    @Test(arguments: SignatureDefect.allCases)
    func `a defect of the signature makes it invalid`(defect: SignatureDefect) throws {
        let root = try IssuedCertificate.selfSigned(.authority())
        let leaf = try root.issue(.server().with { $0.signatureDefect = defect })
        let rootKey = try Certificate(derEncoded: root.der).publicKey
        // A certificate that cannot be decoded is as invalid as one that does not verify.
        let decoded = try? Certificate(derEncoded: leaf.der)
        let isValid = decoded.map { rootKey.isValidSignature($0.signature, for: $0) } ?? false
        #expect(isValid == (defect == .none))
    }

    @Test
    func `every part of the template is in the certificate`() throws {
        let template = CertificateTemplate.server(names: ["host.test"], addresses: ["192.0.2.1"]).with {
            $0.serialNumber = [0x01, 0x02, 0x03]
            $0.issuer = .common("Somebody Else")
            $0.notAfter = TestDate.utc(2055, 2, 3, 4, 5, 6)
            $0.extensions.append(.nameConstraints(permitted: [.dns("test"), .network("192.0.2.0", prefixLength: 24)]))
        }
        let issued = try IssuedCertificate.selfSigned(template)
        let certificate = try Certificate(derEncoded: issued.der)
        #expect(Array(certificate.serialNumber.bytes) == [1, 2, 3])
        #expect(certificate.issuer.description == "CN=Somebody Else")
        #expect(certificate.subject.description == "CN=host.test")
        #expect(certificate.notValidBefore == TestDate.utc(2026))
        #expect(certificate.notValidAfter == TestDate.utc(2055, 2, 3, 4, 5, 6))
        let names = try #require(try certificate.extensions.subjectAlternativeNames)
        #expect(Array(names) == [.dnsName("host.test"), .ipAddress(ASN1OctetString(contentBytes: [192, 0, 2, 1]))])
        let constraints = try #require(try certificate.extensions.nameConstraints)
        #expect(Array(constraints.permittedDNSDomains) == ["test"])
        #expect(constraints.permittedIPRanges.map { Array($0.bytes) } == [[192, 0, 2, 0, 255, 255, 255, 0]])
        let usage = try #require(try certificate.extensions.keyUsage)
        #expect(usage.digitalSignature && usage.keyEncipherment && !usage.keyCertSign)
        #expect(Array(issued.key.subjectPublicKeyInfo) == (try serialized(certificate.publicKey)))
        #expect(try certificate.extensions.subjectKeyIdentifier?.keyIdentifier == issued.key.identifier[...])
    }

    private func serialized(_ key: Certificate.PublicKey) throws -> [UInt8] {
        var serializer = DER.Serializer()
        try serializer.serialize(key)
        return serializer.serializedBytes
    }

    @Test
    func `defects that a decoder should reject are rejected`() throws {
        let defects: [(inout CertificateTemplate) -> Void] = [
            { $0.trailingBytes = [0] },
            { $0.trailingBytesInside = [5, 0] },
            { $0.extensions.append(.basicConstraints(isAuthority: true)) },
            { $0.notAfterEncoding = .rawUTCTime("991301000000Z") },
            { $0.subjectPublicKeyInfo = [0x30, 0x00] },
        ]
        for (index, defect) in defects.enumerated() {
            let der = try IssuedCertificate.selfSigned(.server().with(defect)).der
            #expect(throws: (any Error).self, "defect \(index)") { try Certificate(derEncoded: der) }
        }
    }

    @Test
    func `the signed part can name another algorithm than the certificate`() throws {
        let der = try IssuedCertificate.selfSigned(.server().with { $0.innerSignatureScheme = .ecdsaSHA384 }).der
        func places(_ scheme: SignatureScheme) -> Int {
            let name = scheme.algorithmIdentifier
            return der.indices.filter { der[$0...].starts(with: name) }.count
        }
        #expect(places(.ecdsaSHA384) == 1)
        #expect(places(.ecdsaSHA256) == 1)
    }

    @Test
    func `the same seed gives the same key, and another seed another`() throws {
        for kind in [TestKey.Kind.p256, .p384, .p521, .ed25519] {
            let key = try TestKey(kind, seed: "one")
            #expect(try key.pkcs8DER == TestKey(kind, seed: "one").pkcs8DER)
            #expect(try key.pkcs8DER != TestKey(kind, seed: "two").pkcs8DER)
        }
        #expect(try TestKey.rsa2048.pkcs8DER == TestKey.rsa2048.pkcs8DER)
    }

    @Test(arguments: TestKey.Kind.allCases)
    func `a private key in PEM is the one that belongs to the public key`(kind: TestKey.Kind) throws {
        let key = try TestKey(kind, seed: "pem")
        guard kind != .rsa1024 else {
            return #expect(try PEMDocument(pemString: key.pkcs8PEM).discriminator == "PRIVATE KEY")
        }
        #expect(try serialized(Certificate.PrivateKey(pemEncoded: key.pkcs8PEM).publicKey) == key.subjectPublicKeyInfo)
    }

    @Test
    func `a certificate in PEM is the one in DER`() throws {
        let issued = try IssuedCertificate.selfSigned(.authority())
        #expect(try PEMDocument(pemString: issued.pem).derBytes == issued.der)
    }
}

@Suite
struct RevocationListTemplateTests {
    private func children(_ node: ASN1Node) throws -> [ASN1Node] {
        guard case .constructed(let nodes) = node.content else { return [] }
        return Array(nodes)
    }

    @Test
    func `a list names the revoked certificates, and is signed by its issuer`() throws {
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
