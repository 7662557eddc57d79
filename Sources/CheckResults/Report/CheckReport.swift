public import struct FoundationEssentials.Date

/// The report of one check of one target, successful or not.
public struct CheckReport: Sendable {
    /// The requested target, without credentials.
    public var target: String
    /// The verdict.
    public var verdict: CheckVerdict
    /// All findings of the check: refusals first, in the order of occurrence.
    public var findings: [Finding]
    /// One entry for the target, and one for every redirect that was followed.
    public var hops: [CheckHop]
    /// The start of the check, by the wall clock.
    public var started: Date
    /// The duration of the check, by the monotonic clock.
    public var duration: Duration
    /// The bytes sent by the check's sockets, over all hops and attempts: including TLS records, without TCP, UDP and
    /// IP headers and without the system resolver's lookups.
    public var bytesSent = 0
    /// The bytes received by the check's sockets; counted like ``bytesSent``.
    public var bytesReceived = 0
    /// The bytes that the check caused on the link, in both directions.
    ///
    /// Includes TCP, UDP, IP and Ethernet headers, connection setup and teardown, and an estimate for the system's
    /// resolver. Estimates are too high rather than too low.
    public var bytesOnWire = 0
    /// The measurements of a transfer, whole or up to its failure; nil for a check without one.
    public var transfer: TransferReport?

    /// Creates a report.
    public init(
        target: String,
        verdict: CheckVerdict,
        findings: [Finding],
        hops: [CheckHop],
        started: Date,
        duration: Duration
    ) {
        self.target = target
        self.verdict = verdict
        self.findings = findings
        self.hops = hops
        self.started = started
        self.duration = duration
    }
}
