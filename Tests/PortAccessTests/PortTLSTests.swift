import ProbeTestKit
import Testing

@testable import PortAccess

/// The TLS of a port, made of files.
@Suite struct PortTLSTests {
    private let authority: TestAuthority
    private let clients: TestAuthority

    init() throws {
        authority = try .standard()
        clients = try .standard()
    }

    private func tls(
        certificate: String? = nil,
        key: String? = nil,
        authorities: String? = nil
    ) throws -> PortTLS {
        try PortTLS(
            certificate: Array((certificate ?? authority.presentedPEM).utf8),
            key: Array((key ?? authority.leaf.key.pkcs8PEM).utf8),
            clientAuthorities: authorities.map { Array($0.utf8) }
        )
    }

    @Test func `a chain and its key are accepted`() throws {
        #expect(try !tls().checksClients)
        #expect(try tls(authorities: clients.root.pem).checksClients)
        #expect(try tls() == tls())
        #expect(try tls() != tls(authorities: clients.root.pem))
    }

    @Test func `wrong files are errors, each with its name`() throws {
        let foreign = clients.leaf.key.pkcs8PEM
        #expect(throws: PortAccessError.certificate("holds no certificate in PEM form")) { try tls(certificate: "x") }
        #expect(throws: PortAccessError.key("holds no unencrypted private key in PEM form")) { try tls(key: "x") }
        #expect(throws: PortAccessError.clientAuthorities("holds no certificate in PEM form")) {
            try tls(authorities: foreign)
        }
        let mismatch = #expect(throws: PortAccessError.self) { try tls(key: foreign) }
        #expect(mismatch?.description.hasPrefix("does not belong to the certificate") == true)
    }

    @Test func `a port needs both encryption and client checks, unless configured as insecure`() throws {
        let (plain, mutual) = (try tls(), try tls(authorities: clients.root.pem))
        let passwords = try PasswordFile(Array("a:$6$a$b".utf8))
        #expect(!PortAccess().isUsable)
        #expect(!PortAccess(tls: plain).isUsable)
        #expect(!PortAccess(passwords: passwords).isUsable)
        #expect(PortAccess(tls: plain, passwords: passwords).isUsable)
        #expect(PortAccess(tls: mutual).isUsable)
        #expect(PortAccess(isInsecure: true).isUsable)
    }

    @Test func `the key is not shown`() throws {
        var dumped = ""
        dump(try tls(), to: &dumped)
        #expect(dumped.split(separator: "\n").count == 1, "\(dumped)")
    }
}
