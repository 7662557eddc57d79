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
