import AgentTestKit
import Foundation
import ProbeTestKit

/// The certificates of the tests' web servers, as files in a directory of their own.
///
/// Their validity is relative to the present, because agents use the machine's clock.
final class ConnectivityCertificates: Sendable {
    /// A certificate, by the name of its files.
    enum Name: String, CaseIterable {
        /// Right in everything, with nine tenths of its lifetime left.
        case server
        /// Right in everything, and longer than any packet.
        case large
        /// Right in everything, with about a fifth of its lifetime left, which is 80 days.
        case ending
        /// A captive portal's own, untrusted and for another name.
        case portal
        /// For the right name, by an untrusted authority.
        case forged
    }

    /// The directory of the files: `NAME.pem` and `NAME.key` of each, and `root.pem`.
    var directory: String { temporary.path }
    private let temporary: TemporaryDirectory

    /// The root that a check trusts.
    var rootFile: String { "\(directory)/root.pem" }

    init() throws {
        temporary = try TemporaryDirectory()
        let authority = try TestAuthority.standard()
        try temporary.file("root.pem", authority.root.pem)
        let foreign = try TestAuthority(
            root: .authority("Interception Root"),
            intermediate: .intermediate("Interception Intermediate")
        )
        for name in Name.allCases {
            let issuer = [.portal, .forged].contains(name) ? foreign.intermediate : authority.intermediate
            let leaf = try issuer.issue(Self.template(name))
            try temporary.file("\(name.rawValue).pem", leaf.pem + issuer.pem)
            try temporary.file("\(name.rawValue).key", leaf.key.pkcs8PEM)
        }
    }

    private static func template(_ name: Name) -> CertificateTemplate {
        var names = [name == .portal ? "login.portal.test" : ConnectivityNetwork.host]
        if name == .large { names += (0..<120).map { "an-alternative-name-\($0).\(ConnectivityNetwork.host)" } }
        let (age, rest): (Double, Double) = name == .ending ? (285, 80) : (30, 300)
        return CertificateTemplate.server(names: names).with {
            $0.notBefore = Date(timeIntervalSinceNow: -age * 86_400)
            $0.notAfter = Date(timeIntervalSinceNow: rest * 86_400)
        }
    }
}
