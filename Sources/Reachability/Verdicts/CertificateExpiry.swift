/// A certificate that is about to expire, at one of the thresholds.
public struct CertificateExpiry: Sendable, Hashable {
    /// The probe that saw the certificate; the first one of several.
    public var probe: String
    /// The certificate.
    public var certificate: CertificateFacts
    /// The certificate's position in the server's chain; 0 is the server's own.
    public var position: Int
    /// The passed threshold: `30%`, `7d`, or `expired`.
    public var threshold: String
    /// The rest of the lifetime, in percent; 0 after it.
    public var percentLeft: Int
    /// The whole days left; negative after the expiry.
    public var daysLeft: Int
    /// The time of the check.
    public var observed: Observed

    /// Creates an expiry.
    public init(
        probe: String,
        certificate: CertificateFacts,
        position: Int,
        threshold: String,
        percentLeft: Int,
        daysLeft: Int,
        observed: Observed
    ) {
        self.probe = probe
        self.certificate = certificate
        self.position = position
        self.threshold = threshold
        self.percentLeft = percentLeft
        self.daysLeft = daysLeft
        self.observed = observed
    }
}
