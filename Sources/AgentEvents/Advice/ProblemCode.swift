/// The codes of a status's problems that belong to no path, check, hook or sink.
///
/// A code is never renamed and never reused.
public enum ProblemCode: String, Sendable, Hashable, CaseIterable {
    /// No probe is configured.
    case noProbeConfigured = "no_probe_configured"
    /// A certificate is about to expire.
    case certificateExpiring = "certificate_expiring"
    /// A state or a verdict changes too often to be relied on.
    case flapping

    // MARK: A connectivity without a reason

    /// Nothing is known.
    case unknown
    /// There is no path.
    case noPath = "none"
    /// There is a path, and no answer from beyond it.
    case local
    /// A captive portal answers.
    case portal
    /// Something answers, but not everything that is required.
    case partial
}
