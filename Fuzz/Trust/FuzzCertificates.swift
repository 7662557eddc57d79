internal import FuzzKit

@testable import ServerTrust

/// Certificates, revocation lists and PEM files.
enum FuzzCertificates {
    static func run(_ input: [UInt8]) {
        check(input)
        for block in CertificateFile.blocks(in: input) { check(block) }
        _ = try? CertificateFile.certificates(decoding: input, source: "input")
    }

    private static func check(_ der: [UInt8]) {
        let description = CertificateDescription(der: der)
        require(description.sha256.utf8.count == 64, "a certificate without a hash")
        if let pinned = try? PinnedCertificate(der: der) {
            require(pinned.publicKeyPin == description.publicKeyPin, "two pins for one certificate")
        }
        _ = try? CertificateRevocationList(der: der)
    }
}
