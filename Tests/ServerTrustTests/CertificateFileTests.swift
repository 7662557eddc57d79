import AgentTestKit
import FoundationEssentials
import Glibc
import ProbeTestKit
import Testing

@testable import ServerTrust

/// Certificates in files, directories and bundles.
@Suite struct CertificateFileTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func write(_ name: String, _ bytes: some Sequence<UInt8>) throws -> String {
        try directory.file(name, bytes)
    }

    @Test func `PEM bundles with text around them and DER files are read`() throws {
        let chain = try TestAuthority.standard()
        let bundle = "# comment\r\n" + chain.leaf.pem + "\nmore\n" + chain.leaf.key.pkcs8PEM + chain.root.pem
        #expect(try CertificateFile.certificates(at: write("a.pem", bundle.utf8)) == [chain.leaf.der, chain.root.der])
        #expect(try CertificateFile.certificates(at: write("a.der", chain.root.der)) == [chain.root.der])
    }

    @Test func `a byte order mark before a block hides none`() throws {
        let chain = try TestAuthority.standard()
        let mark = "\u{FEFF}"
        for text in [mark + chain.leaf.pem + chain.root.pem, mark + chain.leaf.pem + mark + chain.root.pem] {
            let path = try write("a.pem", text.utf8)
            #expect(try CertificateFile.certificates(at: path) == [chain.leaf.der, chain.root.der])
            #expect(CertificateFile.blocks(in: Array(text.utf8)) == [chain.leaf.der, chain.root.der])
            #expect(TrustAnchors(bundles: [path]).certificates == [chain.leaf.der, chain.root.der])
        }
    }

    @Test(arguments: [
        ("-----END CERTIFICATE-----\n%", 1), ("%-----END CERTIFICATE-----\n", 2),
        ("x-----BEGIN CERTIFICATE-----\nMAMCAQE=\n-----END CERTIFICATE-----\n%", 1),
    ])
    func `a block without its first line is an error, and skipped in a bundle`(_ form: String, _ block: Int) throws {
        let root = try TestAuthority.standard().root
        let text = form.replacing("%", with: root.pem)
        let path = try write("a.pem", text.utf8)
        #expect {
            try CertificateFile.certificates(at: path)
        } throws: {
            "\($0)".hasPrefix("\(path), block \(block) is not a usable certificate")
        }
        #expect(CertificateFile.blocks(in: Array(text.utf8)) == [root.der])
    }

    @Test func `a certificate with OpenSSL's trust settings is an error, with or without any`() throws {
        let root = try TestAuthority.standard().root
        // TrustedCertificate ::= the certificate, and { rejected: serverAuth }.
        let settings: [UInt8] = [0x30, 0x0C, 0xA0, 0x0A, 0x06, 0x08, 0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x01]
        for der in [root.der + settings, root.der] {
            let block = "-----BEGIN TRUSTED CERTIFICATE-----\n\(Data(der).base64EncodedString())\n"
            let text = root.pem + block + "-----END TRUSTED CERTIFICATE-----\n"
            #expect {
                try CertificateFile.certificates(decoding: Array(text.utf8), source: "a.pem")
            } throws: {
                let message = "\($0)"
                return message.hasPrefix("a.pem, block 2 is not a usable certificate: expected the label CERTIFICATE")
                    && message.contains("'openssl x509' writes")
            }
            #expect(CertificateFile.blocks(in: Array(text.utf8)) == [root.der])
        }
    }

    @Test func `a directory is read in name order, and only files named like certificates`() throws {
        let chain = try TestAuthority.standard()
        _ = try write("2.crt", chain.root.pem.utf8)
        _ = try write("1.cer", chain.leaf.der)
        _ = try write("notes.txt", "no certificate".utf8)
        let path = directory.path
        #expect(try CertificateFile.certificates(at: path) == [chain.leaf.der, chain.root.der])
    }

    @Test func `a certificate that cannot be decoded is named with its file and block`() throws {
        let chain = try TestAuthority.standard()
        let broken = "-----BEGIN CERTIFICATE-----\nMAMCAQE=\n-----END CERTIFICATE-----\n"
        let path = try write("b.pem", (chain.leaf.pem + broken).utf8)
        #expect {
            try CertificateFile.certificates(at: path)
        } throws: {
            "\($0)".hasPrefix("\(path), block 2 is not a usable certificate")
        }
        let open = try write("c.pem", "-----BEGIN CERTIFICATE-----\nMAMCAQE=\n".utf8)
        #expect { try CertificateFile.certificates(at: open) } throws: { "\($0)".contains("block 1") }
    }

    @Test func `a file that cannot be reached is an error with the system's reason`() throws {
        let file = try write("a.pem", [])
        let link = "\(directory.path)/circle"
        try #require(symlink("circle", link) == 0)
        for (path, reason) in [
            ("/nowhere/x", "No such file or directory"), ("\(file)/x", "Not a directory"),
            (link, "Too many levels of symbolic links"),
        ] {
            #expect(throws: SecurityPolicyError.unreadable(path: path, reason: reason)) {
                try CertificateFile.certificates(at: path)
            }
        }
    }

    @Test func `an empty and an endless file are errors`() throws {
        let empty = try write("empty.pem", [])
        #expect(throws: SecurityPolicyError.noCertificate(source: empty)) {
            try CertificateFile.certificates(at: empty)
        }
        #expect { try CertificateFile.certificates(at: "/dev/zero") } throws: { "\($0)".contains("larger than") }
    }

    @Test func `a bundle is read again when it changes, and a bad entry does not hide the others`() async throws {
        let old = try TestAuthority.standard()
        let new = try TestAuthority.standard()
        let path = try write(
            "bundle.crt",
            ("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n" + old.root.pem).utf8
        )
        let anchors = TrustAnchors(bundles: ["/nowhere/bundle", path])
        let evaluator = TrustEvaluator(anchors: anchors)
        func isAccepted(_ chain: TestAuthority) async -> Bool {
            await evaluator.evaluate(presented: chain.presented, identity: .name("host.test"), at: TestDate.present)
                .isAccepted
        }
        #expect(await isAccepted(old))
        #expect(await !isAccepted(new))
        let generation = anchors.current().generation
        #expect(anchors.current().generation == generation)
        _ = try write("bundle.crt", (new.root.pem + new.intermediate.pem).utf8)
        #expect(await isAccepted(new))
        #expect(await !isAccepted(old))
        try FileManager.default.removeItem(atPath: path)
        #expect(await !isAccepted(new))
    }

    @Test func `an old form is accepted in the system's bundle, but not a certificate of no authority`() async throws {
        for (constraints, isAccepted) in [
            (CertificateExtension.basicConstraints(isAuthority: true, critical: false), true),
            (.basicConstraints(isAuthority: false), false),
        ] {
            let root = CertificateTemplate.authority().with { $0.replaceExtension(with: constraints) }
            let chain = try TestAuthority(root: root)
            let anchors = TrustAnchors(bundles: [try write("bundle.crt", chain.root.pem.utf8)])
            let verdict = await TrustEvaluator(anchors: anchors).evaluate(
                presented: chain.presented,
                identity: .name("host.test"),
                at: TestDate.present
            )
            #expect(verdict.isAccepted == isAccepted)
        }
    }
}
