/// A certificate that came to the end of its lifetime as far as a threshold.
public struct CertificateExpiry: Sendable, Hashable {
    /// The probe that saw it; the first one when several did.
    public var probe: String
    /// The certificate.
    public var certificate: CertificateFacts
    /// Its place in the chain that the server sent; 0 is the server's own.
    public var position: Int
    /// The threshold that was passed: `30%`, `7d`, or `expired`.
    public var threshold: String
    /// How much of the lifetime is left, in percent; 0 once it is over.
    public var percentLeft: Int
    /// The whole days that are left; negative once it is over.
    public var daysLeft: Int
    /// When it was seen.
    public var observed: Observed

    /// An expiry.
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
