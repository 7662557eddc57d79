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

/// One server of a check: the target, or the target of a redirect.
public struct CheckHop: Codable, Sendable, Hashable {
    /// The URL.
    public var url: String
    /// The phases.
    @List public var phases: [Phase] = []
    /// The name lookups.
    @List public var lookups: [Lookup] = []
    /// The addresses in the order in which they were tried.
    @List public var addresses: [String] = []
    /// The connection attempts.
    @List public var attempts: [Attempt] = []
    /// The local address and port.
    public var local: String?
    /// The server's address and port.
    public var peer: String?
    /// The egress interface.
    public var interface: String?
    /// The TLS handshake.
    public var tls: TLSHandshake?
    /// The head of the response.
    public var response: Response?
    /// The answer of a DNS or ICMP server, as text.
    public var answer: String?

    /// Creates a server of a check.
    public init(url: String) { self.url = url }

    /// A phase of the check.
    public struct Phase: Codable, Sendable, Hashable {
        /// The phase, such as `resolve`, `connect` or `tls`.
        public var phase: String
        /// Its start, in microseconds since the start of the check.
        public var startMicroseconds: Int64
        /// Its duration, in microseconds.
        public var durationMicroseconds: Int64
        /// `false` for a phase that did not complete; absent otherwise.
        public var isComplete: Bool?

        private enum CodingKeys: String, CodingKey {
            case phase
            case startMicroseconds = "start_us"
            case durationMicroseconds = "duration_us"
            case isComplete = "complete"
        }

        /// Creates a phase.
        public init(phase: String, startMicroseconds: Int64, durationMicroseconds: Int64, isComplete: Bool? = nil) {
            self.phase = phase
            self.startMicroseconds = startMicroseconds
            self.durationMicroseconds = durationMicroseconds
            self.isComplete = isComplete
        }
    }

    /// A name lookup in one family.
    public struct Lookup: Codable, Sendable, Hashable {
        /// The family: `ipv4` or `ipv6`.
        public var family: String
        /// Its start, in microseconds since the start of the check.
        public var startMicroseconds: Int64
        /// Its duration, in microseconds.
        public var durationMicroseconds: Int64
        /// The addresses.
        @List public var addresses: [String]
        /// The code of the failure.
        public var code: String?
        /// The evidence of the failure.
        public var evidence: String?

        private enum CodingKeys: String, CodingKey {
            case family
            case startMicroseconds = "start_us"
            case durationMicroseconds = "duration_us"
            case addresses, code, evidence
        }

        /// Creates a lookup.
        public init(
            family: String,
            startMicroseconds: Int64,
            durationMicroseconds: Int64,
            addresses: [String],
            code: String? = nil,
            evidence: String? = nil
        ) {
            self.family = family
            self.startMicroseconds = startMicroseconds
            self.durationMicroseconds = durationMicroseconds
            self.addresses = addresses
            self.code = code
            self.evidence = evidence
        }
    }

    /// A connection attempt.
    public struct Attempt: Codable, Sendable, Hashable {
        /// The address and port.
        public var address: String
        /// Its start, in microseconds since the start of the check.
        public var startMicroseconds: Int64
        /// Its duration, in microseconds.
        public var durationMicroseconds: Int64
        /// True for the connection that the check used.
        public var isUsed: Bool
        /// The code of the failure.
        public var code: String?
        /// The evidence of the failure.
        public var evidence: String?

        private enum CodingKeys: String, CodingKey {
            case address
            case startMicroseconds = "start_us"
            case durationMicroseconds = "duration_us"
            case isUsed = "used"
            case code, evidence
        }

        /// Creates an attempt.
        public init(
            address: String,
            startMicroseconds: Int64,
            durationMicroseconds: Int64,
            isUsed: Bool,
            code: String? = nil,
            evidence: String? = nil
        ) {
            self.address = address
            self.startMicroseconds = startMicroseconds
            self.durationMicroseconds = durationMicroseconds
            self.isUsed = isUsed
            self.code = code
            self.evidence = evidence
        }
    }

    /// The head of a response, and the size of its body.
    public struct Response: Codable, Sendable, Hashable {
        /// The HTTP version.
        public var httpVersion: String
        /// The status.
        public var status: Int
        /// The header fields; secret values are replaced.
        @List public var headers: [Header]
        /// The size of the body as received, in bytes.
        public var bodyBytes: Int
        /// The size of the decoded body, in bytes, if it was encoded.
        public var decodedBodyBytes: Int?

        private enum CodingKeys: String, CodingKey {
            case httpVersion = "http_version"
            case status, headers
            case bodyBytes = "body_bytes"
            case decodedBodyBytes = "decoded_body_bytes"
        }

        /// Creates a response.
        public init(httpVersion: String, status: Int, headers: [Header], bodyBytes: Int, decodedBodyBytes: Int? = nil) {
            self.httpVersion = httpVersion
            self.status = status
            self.headers = headers
            self.bodyBytes = bodyBytes
            self.decodedBodyBytes = decodedBodyBytes
        }

        /// A header field.
        public struct Header: Codable, Sendable, Hashable {
            /// The name.
            public var name: String
            /// The value.
            public var value: String

            /// Creates a header.
            public init(name: String, value: String) {
                self.name = name
                self.value = value
            }
        }
    }
}
