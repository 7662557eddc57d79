import ProbeTestKit
import ServerTrust

extension TrustScenario {
    /// Servers whose certificates are for another name, or say it in another form.
    static let names: [TrustScenario] = [
        TrustScenario(
            "the certificate is for another name",
            .tlsHostname,
            trusted: .withoutName,
            root: .withoutName,
            leaf: .withoutName,
            key: .withoutName,
            identity: .name("wrong.test")
        ) { _ in },
        TrustScenario(
            "the name is only the common name",
            .tlsNoSubjectAlternativeName,
            trusted: .withoutName,
            root: .withoutName,
            leaf: .withoutName,
            key: .withoutName
        ) { $0.removeExtension("2.5.29.17") },
        wildcard("a wildcard stands for one label", "*.sub.test", "a.sub.test", isAccepted: true),
        wildcard("a wildcard stands for two labels", "*.sub.test", "a.b.sub.test", isAccepted: false),
        wildcard("a wildcard stands for no label", "*.sub.test", "sub.test", isAccepted: false),
        wildcard("a wildcard stands for everything below a top-level domain", "*.test", "host.test", isAccepted: false),
        TrustScenario(
            "an IPv4 address is among the addresses",
            nil,
            trusted: .always,
            root: .always,
            leaf: .always,
            key: .always,
            identity: .address([192, 0, 2, 1])
        ) { $0 = .server(names: ["host.test"], addresses: ["192.0.2.1"]) },
        TrustScenario(
            "an IPv6 address is among the addresses",
            nil,
            trusted: .always,
            root: .always,
            leaf: .always,
            key: .always,
            identity: .address([0xFD] + [UInt8](repeating: 0, count: 14) + [7])
        ) { $0 = .server(names: ["host.test"], addresses: ["fd00::7"]) },
        TrustScenario(
            "another address is among the addresses",
            .tlsHostname,
            trusted: .withoutName,
            root: .withoutName,
            leaf: .withoutName,
            key: .withoutName,
            identity: .address([192, 0, 2, 9])
        ) { $0 = .server(names: ["host.test"], addresses: ["192.0.2.1"]) },
        TrustScenario(
            "a name is asked for, and there are only addresses",
            .tlsHostname,
            trusted: .withoutName,
            root: .withoutName,
            leaf: .withoutName,
            key: .withoutName
        ) { $0 = .server(names: [], addresses: ["192.0.2.1"]) },
    ]

    private static func wildcard(
        _ sentence: String,
        _ pattern: String,
        _ host: String,
        isAccepted: Bool
    ) -> TrustScenario {
        let acceptance: Acceptance = isAccepted ? .always : .withoutName
        return TrustScenario(
            sentence,
            isAccepted ? nil : .tlsHostname,
            trusted: acceptance,
            root: acceptance,
            leaf: acceptance,
            key: acceptance,
            identity: .name(host)
        ) { $0 = .server(names: [pattern]) }
    }
}
