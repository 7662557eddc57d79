internal import Synchronization

/// Decoded trust anchors, found by their subject; never changed, and shared by all who evaluate with them.
final class AnchorSet: Sendable {
    private static let generations = Atomic<UInt64>(0)

    let certificates: [DecodedCertificate]
    /// Tells two sets apart, for answers that are kept.
    let generation: UInt64
    private let bySubject: [[UInt8]: [DecodedCertificate]]

    /// Decodes anchors; one that has no name or no key is skipped, since nothing can lead to it.
    init(_ encoded: [[UInt8]]) {
        certificates = encoded.map { DecodedCertificate(der: $0) }.filter { $0.publicKey != nil }
        bySubject = Dictionary(grouping: certificates) { $0.subject.encoded }
        generation = Self.generations.add(1, ordering: .relaxed).newValue
    }

    /// The anchors whose name is that of the certificate's issuer.
    func issuers(of certificate: DecodedCertificate) -> [DecodedCertificate] {
        bySubject[certificate.issuer.encoded] ?? []
    }

    /// Whether this very certificate is an anchor.
    func contains(_ certificate: DecodedCertificate) -> Bool {
        bySubject[certificate.subject.encoded]?.contains { $0.der == certificate.der } ?? false
    }
}
