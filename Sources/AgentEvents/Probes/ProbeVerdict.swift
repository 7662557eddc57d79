/// A probe and its vantage point.
public struct ProbePoint: Codable, Sendable, Hashable {
    /// The name of the built-in check of each uplink's next hop, which no other probe may have.
    public static let firstHopName = "first-hop"

    /// True for the check of a next hop.
    public var isFirstHop: Bool { probe == Self.firstHopName }

    /// The probe's name.
    public var probe: String
    /// The interface that it is bound to; `nil` for the path that the kernel chooses.
    public var interface: String?
    /// The family, `ipv4` or `ipv6`; `nil` for any.
    public var family: String?

    /// Creates a point.
    public init(probe: String, interface: String? = nil, family: String? = nil) {
        self.probe = probe
        self.interface = interface
        self.family = family
    }

    /// The command that makes the point's check by hand, over the same interface and in the same family.
    package var command: ShellCommand {
        // The agent checks the first hops; no probe of the configuration does.
        guard !isFirstHop else { return ShellCommand(words: ["reachagent", "check", probe]) }
        let families = ["ipv4": ["--ipv4"], "ipv6": ["--ipv6"]]
        return ShellCommand(
            words: ["reachagent", "probe", probe] + (interface.map { ["--interface", $0] } ?? [])
                + (family.flatMap { families[$0] } ?? [])
        )
    }
}

/// The verdict on a probe's target, after consecutive results.
public struct ProbeVerdict: Codable, Sendable, Hashable {
    /// `unknown`, `up`, `down` or `portal`.
    public var verdict: String
    /// The code of the results; `nil` for `up`.
    public var code: String?
    /// The address of the login page, while a portal answers.
    public var portalURL: String?
    /// True while the verdict flaps.
    @OptionalFlag public var isFlapping: Bool

    private enum CodingKeys: String, CodingKey {
        case verdict, code
        case portalURL = "portal_url"
        case isFlapping = "flapping"
    }

    /// Creates a verdict.
    public init(verdict: String, code: String? = nil, portalURL: String? = nil, isFlapping: Bool = false) {
        self.verdict = verdict
        self.code = code
        self.portalURL = portalURL
        self.isFlapping = isFlapping
    }
}

/// A change of a probe's verdict.
public struct ProbeChange: Codable, Sendable, Hashable {
    /// The probe and its vantage point.
    public var point: ProbePoint
    /// The verdict before.
    public var from: ProbeVerdict
    /// The verdict after.
    public var to: ProbeVerdict
    /// The cause.
    public var cause: ChangeCause
    /// The moment at which the agent received the result.
    public var observed: Timestamp

    private enum CodingKeys: String, CodingKey {
        case from, to, cause, observed
    }

    /// Creates a change.
    public init(point: ProbePoint, from: ProbeVerdict, to: ProbeVerdict, cause: ChangeCause, observed: Timestamp) {
        self.point = point
        self.from = from
        self.to = to
        self.cause = cause
        self.observed = observed
    }

    /// Reads the change, with the point's members beside its own.
    public init(from decoder: any Decoder) throws {
        point = try ProbePoint(from: decoder)
        let members = try decoder.container(keyedBy: CodingKeys.self)
        from = try members.decode(ProbeVerdict.self, forKey: .from)
        to = try members.decode(ProbeVerdict.self, forKey: .to)
        cause = try members.decode(ChangeCause.self, forKey: .cause)
        observed = try members.decode(Timestamp.self, forKey: .observed)
    }

    /// Writes the change, with the point's members before its own.
    public func encode(to encoder: any Encoder) throws {
        try point.encode(to: encoder)
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(from, forKey: .from)
        try members.encode(to, forKey: .to)
        try members.encode(cause, forKey: .cause)
        try members.encode(observed, forKey: .observed)
    }
}

/// A certificate that is about to expire, or has expired.
public struct CertificateExpiry: Codable, Sendable, Hashable {
    /// The probe that saw it.
    public var probe: String
    /// The threshold that was crossed, such as `14d` or `expired`.
    public var threshold: String
    /// The remaining share of the lifetime, in per cent.
    public var percentLeft: Int
    /// The remaining whole days; negative after the end.
    public var daysLeft: Int
    /// The position in the chain; 0 is the server's own.
    public var position: Int
    /// True for a certificate of the verified path.
    public var isVerified: Bool
    /// The certificate.
    public var certificate: Certificate
    /// The moment at which the check ended.
    public var observed: Timestamp

    private enum CodingKeys: String, CodingKey {
        case probe, threshold
        case percentLeft = "percent_left"
        case daysLeft = "days_left"
        case position
        case isVerified = "verified"
        case certificate, observed
    }

    /// Creates an expiry.
    public init(
        probe: String,
        threshold: String,
        percentLeft: Int,
        daysLeft: Int,
        position: Int,
        isVerified: Bool,
        certificate: Certificate,
        observed: Timestamp
    ) {
        self.probe = probe
        self.threshold = threshold
        self.percentLeft = percentLeft
        self.daysLeft = daysLeft
        self.position = position
        self.isVerified = isVerified
        self.certificate = certificate
        self.observed = observed
    }

    /// The properties of a certificate that concern its expiry.
    public struct Certificate: Codable, Sendable, Hashable {
        /// The subject, in the form of RFC 4514.
        public var subject: String
        /// The issuer, in the same form.
        public var issuer: String
        /// The SHA-256 of its DER, in hexadecimal digits.
        public var sha256: String
        /// The start of its validity.
        public var notBefore: Timestamp
        /// The end of its validity.
        public var notAfter: Timestamp

        private enum CodingKeys: String, CodingKey {
            case subject, issuer, sha256
            case notBefore = "not_before"
            case notAfter = "not_after"
        }

        /// Creates a certificate.
        public init(subject: String, issuer: String, sha256: String, notBefore: Timestamp, notAfter: Timestamp) {
            self.subject = subject
            self.issuer = issuer
            self.sha256 = sha256
            self.notBefore = notBefore
            self.notAfter = notAfter
        }
    }
}
