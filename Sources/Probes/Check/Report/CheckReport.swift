public import struct FoundationEssentials.Date

/// Everything that one check of one target saw, whether it succeeded or not.
public struct CheckReport: Sendable {
    /// The target as it was asked for, without credentials.
    public var target: String
    /// What came out.
    public var verdict: CheckVerdict
    /// Everything that was found over the whole check: refusals first, in the order in which they happened.
    public var findings: [Finding]
    /// One entry for each place that was asked: the target, and every redirect that was followed.
    public var hops: [CheckHop]
    /// When the check began, by the wall clock.
    public var started: Date
    /// How long it took, by the monotonic clock.
    public var duration: Duration
    /// The bytes that its sockets sent, over all hops and attempts: TLS records included, the headers of TCP, UDP and IP
    /// and the system resolver's lookups not.
    public var bytesSent = 0
    /// The bytes that its sockets received; counted like ``bytesSent``.
    public var bytesReceived = 0
    /// The bytes that the link carried for it, in both directions.
    ///
    /// With the headers of TCP, UDP, IP and Ethernet, what makes and ends connections, and an estimate for the system's
    /// resolver. What cannot be measured is estimated too high.
    public var bytesOnWire = 0

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
