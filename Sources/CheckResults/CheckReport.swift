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
    /// The measurements of a transfer, complete or up to its failure; nil for a check without a transfer.
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

extension CheckReport {
    /// The evidence of the finding that decided the verdict, with the address of a failed attempt to connect; nil on
    /// success.
    package var decidingEvidence: String? {
        let concerned = findings.filter { $0.code == verdict.code }
        guard let deciding = concerned.first(where: { $0.severity == .refusal }) ?? concerned.first else { return nil }
        let isAttempt = hops.last?.attempts.contains { $0.address == deciding.subject } ?? false
        return isAttempt ? "\(deciding.subject): \(deciding.evidence)" : deciding.evidence
    }

    /// `true` if the target's name has led to this machine itself, and no redirect from there to another one; see
    /// ``CheckHop/leadsToThisMachine``.
    package var leadsToThisMachine: Bool { !hops.isEmpty && targetHops.isEmpty }

    /// The hops without those in which this machine itself answered in the place of the target.
    package var targetHops: ArraySlice<CheckHop> {
        hops.first?.leadsToThisMachine == true ? hops.drop { $0.isAtThisMachine } : hops[...]
    }
}

/// The verdict of a check.
public enum CheckVerdict: Sendable, Hashable, CustomStringConvertible {
    /// The target answered as expected.
    case ok
    /// The failure lies with the target or the path to it.
    case failed(FindingCode, Phase)
    /// The failure lies with this machine, so nothing is known about the target.
    case unknown(FindingCode, Phase)

    /// The code of the failure; nil on success.
    public var code: FindingCode? {
        switch self {
        case .ok: nil
        case .failed(let code, _), .unknown(let code, _): code
        }
    }

    /// The phase in which the check failed; nil on success.
    public var phase: Phase? {
        switch self {
        case .ok: nil
        case .failed(_, let phase), .unknown(_, let phase): phase
        }
    }

    /// The verdict for operators: `ok`, `failed: connect_refused in phase connect`, `not checked: no_route in phase
    /// connect`.
    public var description: String {
        switch self {
        case .ok: "ok"
        case .failed(let code, let phase): "failed: \(code) in phase \(phase)"
        case .unknown(let code, let phase): "not checked: \(code) in phase \(phase)"
        }
    }
}

/// The phases of a check, in order.
///
/// A report holds only phases that started. The boundaries of the HTTP phases are blackbox_exporter's, except that
/// sending the request is a phase of its own.
public enum Phase: String, Sendable, Hashable, CaseIterable, Codable, CustomStringConvertible {
    /// Looking the name up.
    case resolve
    /// From the first connection attempt to the established connection.
    case connect
    /// The TLS handshake, including the evaluation of the server's trust.
    case tls
    /// Writing the request.
    case request
    /// From the request's last byte to the response's first.
    case firstByte = "first_byte"
    /// From the response's first byte to its last.
    case body
    /// From an ICMP echo request to its reply.
    case echo
    /// From a DNS query to its answer.
    case query

    /// The name as in events: `first_byte`.
    public var description: String { rawValue }
}

/// The result of one scheduled check of a probe.
public struct CompletedCheck: Sendable {
    /// The probe and its vantage.
    public var point: ProbePoint
    /// The report; has an `unknown` verdict if no check was made (budget exhausted, cellular link not allowed).
    public var report: CheckReport
    /// The time at which the check was due.
    public var due: ContinuousClock.Instant
    /// The time at which the check started.
    public var started: ContinuousClock.Instant
    /// `true` if another point's check served this one too.
    public var isShared: Bool

    /// Creates a completed check.
    public init(
        point: ProbePoint,
        report: CheckReport,
        due: ContinuousClock.Instant,
        started: ContinuousClock.Instant,
        isShared: Bool = false
    ) {
        self.point = point
        self.report = report
        self.due = due
        self.started = started
        self.isShared = isShared
    }
}

/// The evidence of a check for or against a captive portal.
public struct PortalEvidence: Sendable, Hashable, Codable {
    /// The conclusion from the evidence.
    public enum Verdict: String, Sendable, Hashable, CaseIterable, Codable {
        /// No portal: only the open Internet returns such a response.
        case open
        /// A portal answers.
        case portal
        /// No conclusion.
        case unclear
    }

    /// The conclusion.
    public var verdict: Verdict
    /// The reason, unless the verdict is `open`: one of the codes that begin with `portal_`, or the check's own.
    public var code: FindingCode?
    /// The login page, if known; printable, and at most 2048 bytes.
    public var url: String?

    /// Creates evidence.
    public init(_ verdict: Verdict, code: FindingCode? = nil, url: String? = nil) {
        self.verdict = verdict
        self.code = code
        self.url = url
    }
}
