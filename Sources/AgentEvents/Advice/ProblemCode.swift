/// The codes of a status's problems that belong to no path, check, hook or sink.
///
/// A connectivity for which no check has the reason is its own code (``Connectivity``). A code is never renamed and never
/// reused.
public enum ProblemCode: String, Sendable, Hashable, CaseIterable {
    /// No probe is configured.
    case noProbeConfigured = "no_probe_configured"
    /// A certificate is about to expire.
    case certificateExpiring = "certificate_expiring"
    /// A state or a verdict changes too often to be relied on.
    case flapping
}
