internal import Synchronization

/// Decoded trust anchors, indexed by subject; immutable and shared by evaluations.
final class AnchorSet: Sendable {
    private static let generations = Atomic<UInt64>(0)

    let certificates: [DecodedCertificate]
    /// The number that identifies a set, for cached verdicts.
    let generation: UInt64
    private let bySubject: [[UInt8]: [DecodedCertificate]]

    /// Decodes anchors; one without a name or a key is skipped, because no chain can lead to it.
    init(_ encoded: [[UInt8]]) {
        certificates = encoded.map { DecodedCertificate(der: $0) }.filter { $0.publicKey != nil }
        bySubject = Dictionary(grouping: certificates) { $0.subject.encoded }
        generation = Self.generations.add(1, ordering: .relaxed).newValue
    }

    /// Returns the anchors whose subject is the certificate's issuer.
    func issuers(of certificate: DecodedCertificate) -> [DecodedCertificate] {
        bySubject[certificate.issuer.encoded] ?? []
    }

    /// Returns whether this very certificate is an anchor.
    func contains(_ certificate: DecodedCertificate) -> Bool {
        bySubject[certificate.subject.encoded]?.contains { $0.der == certificate.der } ?? false
    }
}
