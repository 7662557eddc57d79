package import BenchmarkKit
internal import FoundationEssentials
internal import ProbeTestKit

/// A P-256 chain for 127.0.0.1 as PEM files: a root to trust, and an intermediate and a leaf that the server sends.
package struct ServerCertificates {
    /// The file of the root certificate, which clients trust.
    package let rootFile: String
    /// The file of the chain that the server sends: its own certificate, then the intermediate.
    package let chainFile: String
    package let keyFile: String

    package init(in directory: TemporaryDirectory) throws(BenchmarkError) {
        let authority: TestAuthority
        do {
            authority = try TestAuthority(
                root: Self.validToday(.authority()),
                intermediate: Self.validToday(.intermediate()),
                leaf: Self.validToday(.server(names: ["localhost"], addresses: ["127.0.0.1"]))
            )
        } catch {
            throw BenchmarkError("make certificates", cause: "\(error)")
        }
        rootFile = try directory.write(authority.root.pem, to: "root.pem")
        chainFile = try directory.write(authority.presentedPEM, to: "chain.pem")
        keyFile = try directory.write(authority.leaf.key.pkcs8PEM, to: "key.pem")
    }

    private static func validToday(_ template: CertificateTemplate) -> CertificateTemplate {
        template.with {
            $0.notBefore = Date.now.addingTimeInterval(-86400)
            $0.notAfter = Date.now.addingTimeInterval(86400)
        }
    }
}
