import ProbeTestKit
import ServerTrust

extension TrustScenario {
    /// Servers whose own certificate is over, for something else, weak, changed or of a rarer kind.
    static let certificates: [TrustScenario] = [
        TrustScenario(
            "the certificate is over",
            .tlsExpired,
            trusted: .never,
            root: .never,
            leaf: .never,
            key: .always
        ) { $0.notAfter = TestDate.utc(2026, 2) },
        TrustScenario(
            "the certificate is not valid yet",
            .tlsNotYetValid,
            trusted: .never,
            root: .never,
            leaf: .never,
            key: .always
        ) { $0.notBefore = TestDate.utc(2026, 9) },
        TrustScenario(
            "the certificate is a client's",
            .tlsPurpose,
            trusted: .withoutName,
            root: .withoutName,
            leaf: .withoutName,
            key: .always
        ) { $0.replaceExtension(with: .extendedKeyUsage([.clientAuthentication])) },
        TrustScenario(
            "a critical extension is unknown",
            .tlsCriticalExtension,
            trusted: .never,
            root: .never,
            leaf: .never,
            key: .always
        ) { $0.extensions.append(.raw("1.3.6.1.4.1.99999.1", isCritical: true, [0x05, 0x00])) },
        TrustScenario(
            "the signature was changed",
            .tlsSignatureInvalid,
            trusted: .never,
            root: .never,
            leaf: .always,
            key: .always
        ) { $0.signatureDefect = .flippedBit },
        TrustScenario(
            "the key is RSA with 1024 bits",
            .tlsWeakKey,
            trusted: .never,
            root: .never,
            leaf: .never,
            key: .always,
            keyKind: .rsa1024
        ) { _ in },
        TrustScenario(
            "the key is P-521",
            nil,
            trusted: .always,
            root: .always,
            leaf: .always,
            key: .always,
            keyKind: .p521
        ) { _ in },
        TrustScenario(
            "the key is Ed25519",
            nil,
            trusted: .always,
            root: .always,
            leaf: .always,
            key: .always,
            keyKind: .ed25519
        ) { _ in },
        signed("the signature is RSA with SHA-1", .rsaSHA1, isAccepted: false),
        signed("the signature is RSA with MD5", .rsaMD5, isAccepted: false),
        signed("the signature is RSA with SHA-256", .rsaSHA256, isAccepted: true),
        signed("the signature is RSA-PSS with SHA-256", .rsaPSSSHA256, isAccepted: true),
        signed("the signature is RSA-PSS with SHA-384", .rsaPSSSHA384, isAccepted: true),
        signed("the signature is RSA-PSS with SHA-512", .rsaPSSSHA512, isAccepted: true),
        signed("the signature is ECDSA with SHA-1", .ecdsaSHA1, key: .p256, isAccepted: false),
        signed("the signature is Ed25519", .ed25519, key: .ed25519, isAccepted: true),
        signed("the signature is ECDSA with SHA-512", .ecdsaSHA512, key: .p521, isAccepted: true),
    ]

    /// A leaf that the intermediate signs in another way.
    private static func signed(
        _ sentence: String,
        _ scheme: SignatureScheme,
        key: TestKey.Kind = .rsa2048,
        isAccepted: Bool
    ) -> TrustScenario {
        let acceptance: Acceptance = isAccepted ? .always : .never
        return TrustScenario(
            sentence,
            isAccepted ? nil : .tlsWeakSignature,
            trusted: acceptance,
            root: acceptance,
            // Whether the signature on an anchor counts is nowhere said.
            leaf: isAccepted ? .always : nil,
            key: .always,
            chain: {
                try TestAuthority(
                    leaf: .server().with { $0.signatureScheme = scheme },
                    intermediateKey: key == .rsa2048 ? .rsa2048 : TestKey(key)
                )
            }
        )
    }
}
