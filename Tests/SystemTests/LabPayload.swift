import AgentTestKit
import Foundation
import ProbeTestKit

/// The files that the lab's scenarios find in their guest.
enum LabPayload {
    /// The package under test; `nil` where none was built.
    static let package: String? = {
        if let named = ProcessInfo.processInfo.environment["REACHAGENT_PACKAGE"] { return named }
        let directory = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: ".build/package")
        let built = try? FileManager.default.contentsOfDirectory(atPath: directory.path()).filter {
            $0.hasPrefix("reachagent_") && $0.hasSuffix(".deb")
        }
        return built?.max().map { directory.appending(path: $0).path() }
    }()

    /// The agent, as a program or as a package, and what the guest's servers are made of.
    static func programs(of guest: SystemLab.Guest) -> [String] {
        guest == .programs ? [BuiltAgent.path, "/usr/bin/socat"] : [package].compactMap(\.self)
    }

    /// A root, the certificate of a web server that it vouches for, and a portal's that nobody trusts.
    static func certificates(in directory: TemporaryDirectory) throws -> [String] {
        let authority = try TestAuthority.standard()
        // With the same names, the chain would lead to the trusted root, and its signatures would be wrong.
        let foreign = try TestAuthority(
            root: .authority("Portal Root"),
            intermediate: .intermediate("Portal Authority")
        )
        // The guest keeps the mode, and the service there is not root.
        func file(_ name: String, _ text: String) throws -> String { try directory.file(name, text, mode: 0o644) }
        func pair(_ name: String, _ issuer: IssuedCertificate, _ host: String) throws -> [String] {
            let leaf = try issuer.issue(
                CertificateTemplate.server(names: [host]).with {
                    $0.notBefore = Date(timeIntervalSinceNow: -30 * 86_400)
                    $0.notAfter = Date(timeIntervalSinceNow: 300 * 86_400)
                }
            )
            return [try file("\(name).pem", leaf.pem + issuer.pem), try file("\(name).key", leaf.key.pkcs8PEM)]
        }
        return try [file("root.pem", authority.root.pem)]
            + pair("server", authority.intermediate, "web.test")
            + pair("portal", foreign.intermediate, "login.portal.test")
    }
}
