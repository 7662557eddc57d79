public import AgentEvents

/// A certificate that was about to expire, or had expired.
public struct CertificateNotice: Sendable, Hashable {
    /// The probe that saw it first.
    public var probe: String
    /// The subject, in the form of RFC 4514.
    public var subject: String
    /// The SHA-256 of its DER.
    public var sha256: String
    /// The end of its validity.
    public var notAfter: Timestamp
    /// The newest threshold, such as `14d` or `expired`.
    public var threshold: String
    /// The time of the event.
    public var reported: Timestamp
    /// The number of the event.
    public var sequence: UInt64
}

/// The newest notice of each certificate, up to a maximum.
struct CertificateLog: Sendable {
    static let maximumCount = 256
    private var notices: [String: CertificateNotice] = [:]

    mutating func note(_ expiry: CertificateExpiry, sequence: UInt64) {
        let key = expiry.certificate.sha256
        guard notices.count < Self.maximumCount || notices[key] != nil else { return }
        notices[key] = CertificateNotice(
            probe: notices[key]?.probe ?? expiry.probe,
            subject: expiry.certificate.subject,
            sha256: key,
            notAfter: expiry.certificate.notAfter,
            threshold: expiry.threshold,
            reported: expiry.observed,
            sequence: sequence
        )
    }

    /// The notices by the end of the validity.
    var byEnd: [CertificateNotice] {
        notices.values.sorted { ($0.notAfter, $0.sequence) < ($1.notAfter, $1.sequence) }
    }
}
