/// The end of a check.
public struct CompletedCheck: Codable, Sendable, Hashable {
    /// The probe and its vantage point.
    public var point: ProbePoint
    /// The cadence of the next check: `steady`, `doubtful`, `down` or `portal`.
    public var cadence: String
    /// The number of retries since the probe went down.
    public var attempt: Int?
    /// The moment at which the check was due.
    public var due: Timestamp
    /// The delay of its start, in milliseconds.
    public var delayMilliseconds: Int64
    /// True for the result of another probe's check of the same target.
    public var isShared: Bool
    /// The report.
    public var report: CheckReport

    private enum CodingKeys: String, CodingKey {
        case cadence, attempt, due
        case delayMilliseconds = "delay_ms"
        case isShared = "shared"
        case report
    }

    /// Creates the end of a check.
    public init(
        point: ProbePoint,
        cadence: String,
        attempt: Int? = nil,
        due: Timestamp,
        delayMilliseconds: Int64,
        isShared: Bool,
        report: CheckReport
    ) {
        self.point = point
        self.cadence = cadence
        self.attempt = attempt
        self.due = due
        self.delayMilliseconds = delayMilliseconds
        self.isShared = isShared
        self.report = report
    }

    /// Reads the check, with the point's members beside its own.
    public init(from decoder: any Decoder) throws {
        point = try ProbePoint(from: decoder)
        let members = try decoder.container(keyedBy: CodingKeys.self)
        cadence = try members.decode(String.self, forKey: .cadence)
        attempt = try members.decodeIfPresent(Int.self, forKey: .attempt)
        due = try members.decode(Timestamp.self, forKey: .due)
        delayMilliseconds = try members.decode(Int64.self, forKey: .delayMilliseconds)
        isShared = try members.decode(Bool.self, forKey: .isShared)
        report = try members.decode(CheckReport.self, forKey: .report)
    }

    /// Writes the check, with the point's members before its own.
    public func encode(to encoder: any Encoder) throws {
        try point.encode(to: encoder)
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(cadence, forKey: .cadence)
        try members.encodeIfPresent(attempt, forKey: .attempt)
        try members.encode(due, forKey: .due)
        try members.encode(delayMilliseconds, forKey: .delayMilliseconds)
        try members.encode(isShared, forKey: .isShared)
        try members.encode(report, forKey: .report)
    }
}

/// The report on one check: the line of `reachagent probe --json`.
public struct CheckReport: Codable, Sendable, Hashable {
    /// The target.
    public var target: String
    /// `ok`, `failed` or `unknown`.
    public var verdict: String
    /// The code of the failure.
    public var code: String?
    /// The phase that failed.
    public var phase: String?
    /// The moment at which the check started.
    public var started: Timestamp
    /// Its duration, in microseconds.
    public var durationMicroseconds: Int64
    /// The bytes that its sockets sent, TLS records included.
    public var bytesSent: Int
    /// The bytes that its sockets received, TLS records included.
    public var bytesReceived: Int
    /// The bytes that the link carried, with all headers; an estimate that errs upward.
    public var bytesOnWire: Int
    /// The findings.
    @List public var findings: [Finding]
    /// The servers that were queried, one after another.
    @List public var hops: [CheckHop]
    /// The measurements of a transfer, up to its failure if it failed; `nil` for a check without one.
    public var transfer: Transfer?

    private enum CodingKeys: String, CodingKey {
        case target, verdict, code, phase, started
        case durationMicroseconds = "duration_us"
        case bytesSent = "bytes_sent"
        case bytesReceived = "bytes_received"
        case bytesOnWire = "bytes_on_wire"
        case findings, hops, transfer
    }

    /// Creates a report.
    public init(
        target: String,
        verdict: String,
        code: String? = nil,
        phase: String? = nil,
        started: Timestamp,
        durationMicroseconds: Int64,
        bytesSent: Int,
        bytesReceived: Int,
        bytesOnWire: Int,
        findings: [Finding],
        hops: [CheckHop],
        transfer: Transfer? = nil
    ) {
        self.target = target
        self.verdict = verdict
        self.code = code
        self.phase = phase
        self.started = started
        self.durationMicroseconds = durationMicroseconds
        self.bytesSent = bytesSent
        self.bytesReceived = bytesReceived
        self.bytesOnWire = bytesOnWire
        self.findings = findings
        self.hops = hops
        self.transfer = transfer
    }
}

/// A fact about the target that a check found.
public struct Finding: Codable, Sendable, Hashable {
    /// The code.
    public var code: String
    /// `refusal`, `warning` or `note`.
    public var severity: String
    /// The thing concerned.
    public var subject: String
    /// The evidence, for people.
    public var evidence: String

    /// Creates a finding.
    public init(code: String, severity: String, subject: String, evidence: String) {
        self.code = code
        self.severity = severity
        self.subject = subject
        self.evidence = evidence
    }
}
