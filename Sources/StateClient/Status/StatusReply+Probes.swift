public import EventEnvelope

extension StatusReply {
    /// A probe at one vantage, and how it fares.
    public struct Probe: Decodable, Sendable, Hashable {
        /// The probe's name.
        public let name: String?
        /// The interface that it is bound to; `nil` for the path that the kernel chooses.
        public let interface: String?
        /// The family that it is made in, `ipv4` or `ipv6`; `nil` for any.
        public let family: String?
        /// What its last checks come to: `unknown`, `up`, `down` or `portal`.
        public let verdict: String?
        /// Why the verdict is not `up`.
        public let code: String?
        /// The particulars of the last check that failed, for people.
        public let detail: String?
        /// Where a person logs in, while a portal answers.
        public let portalURL: String?
        /// Since when the verdict is this one.
        public let since: Timestamp?
        /// How long ago that was when the agent answered, by a clock that does not jump.
        public let age: Duration?
        /// How many checks in a row had the outcome of the last one.
        public let streak: Int?
        /// Whether the path has changed since the last check.
        public let isStale: Bool?
        /// Whether the verdict changes too often to be relied on.
        public let isFlapping: Bool?
        /// When the last check was over.
        public let last: Timestamp?
        /// What the last check came to: `ok`, `failed` or `unknown`.
        public let lastOutcome: String?
        /// Why the last check was not `ok`, where that differs from ``code``.
        public let lastCode: String?
        /// How long the last check took.
        public let latency: Duration?
        /// Of the certificates that the server sent, the one that ends first.
        public let certificate: Certificate?
        /// Which pins match.
        public let pins: [Pin]

        private enum CodingKeys: String, CodingKey {
            case interface, family, verdict, code, detail, since, streak, last, certificate, pins
            case name = "probe"
            case portalURL = "portal_url"
            case age = "for_ms"
            case isStale = "stale"
            case isFlapping = "flapping"
            case lastOutcome = "last_outcome"
            case lastCode = "last_code"
            case latency = "latency_ms"
        }

        /// Reads a probe.
        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            name = members.value(.name)
            interface = members.value(.interface)
            family = members.value(.family)
            verdict = members.value(.verdict)
            code = members.value(.code)
            detail = members.value(.detail)
            portalURL = members.value(.portalURL)
            since = members.timestamp(.since)
            age = members.milliseconds(.age)
            streak = members.value(.streak)
            isStale = members.value(.isStale)
            isFlapping = members.value(.isFlapping)
            last = members.timestamp(.last)
            lastOutcome = members.value(.lastOutcome)
            lastCode = members.value(.lastCode)
            latency = members.milliseconds(.latency)
            certificate = members.value(.certificate)
            pins = members.contains(.pins) ? members.list(.pins) : []
        }
    }

    /// A certificate of a probe's target.
    public struct Certificate: Decodable, Sendable, Hashable {
        /// The subject in the form of RFC 4514.
        public let subject: String?
        /// When the validity ends.
        public let notAfter: Timestamp?
        /// The whole days that are left; negative once it is over.
        public let daysLeft: Int?

        private enum CodingKeys: String, CodingKey {
            case subject
            case notAfter = "not_after"
            case daysLeft = "days_left"
        }

        /// Reads a certificate.
        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            subject = members.value(.subject)
            notAfter = members.timestamp(.notAfter)
            daysLeft = members.value(.daysLeft)
        }
    }

    /// A pin of a probe's policy.
    public struct Pin: Decodable, Sendable, Hashable {
        /// The pin.
        public let pin: String?
        /// Whether a certificate of the chain matches it.
        public let isMatched: Bool?
        /// Whether it is kept for the time after the next change of keys.
        public let isBackup: Bool?

        private enum CodingKeys: String, CodingKey {
            case pin
            case isMatched = "matched"
            case isBackup = "backup"
        }

        /// Reads a pin.
        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            pin = members.value(.pin)
            isMatched = members.value(.isMatched)
            isBackup = members.value(.isBackup)
        }
    }

    /// An interface with a default route.
    public struct Uplink: Decodable, Sendable, Hashable {
        /// The interface's name.
        public let interface: String?
        /// The interface's number.
        public let index: UInt32?
        /// The interface's kind.
        public let kind: String?
        /// What the probes bound to it say, as ``State/connectivity``.
        public let connectivity: String?
        /// Why the connectivity is not `full`.
        public let reason: Reason?
        /// Whether the default path of a family leads through it; it stands by otherwise.
        public let isUsed: Bool?

        private enum CodingKeys: String, CodingKey {
            case interface, kind, connectivity, reason
            case index = "ifindex"
            case isUsed = "used"
        }

        /// Reads an uplink.
        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            interface = members.value(.interface)
            index = members.value(.index)
            kind = members.value(.kind)
            connectivity = members.value(.connectivity)
            reason = members.value(.reason)
            isUsed = members.value(.isUsed)
        }
    }

    /// Why connectivity is not full.
    public struct Reason: Decodable, Sendable, Hashable {
        /// The code: of a check, or of several together.
        public let code: String?
        /// The probe whose check has the code.
        public let probe: String?
        /// Where a person logs in, while a portal answers.
        public let portalURL: String?

        private enum CodingKeys: String, CodingKey {
            case code, probe
            case portalURL = "portal_url"
        }

        init(code: String?, probe: String?, portalURL: String?) {
            self.code = code
            self.probe = probe
            self.portalURL = portalURL
        }

        /// Reads a reason.
        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            code = members.value(.code)
            probe = members.value(.probe)
            portalURL = members.value(.portalURL)
        }
    }

    /// What the probes' scheduler counted since the agent was started.
    public struct Schedule: Decodable, Sendable, Hashable {
        /// Checks that were begun.
        public let checks: UInt64?
        /// Turns that another check served.
        public let shared: UInt64?
        /// Turns that were left out because the one before was not over.
        public let skipped: UInt64?
        /// Turns without a check: no budget, or no permission to use a cellular link.
        public let refused: UInt64?
        /// The longest time that a check began after it was due.
        public let longestDelay: Duration?
        /// The bytes of today, by account.
        public let bytes: [String: Int]

        private enum CodingKeys: String, CodingKey {
            case checks, shared, skipped, refused, bytes
            case longestDelay = "longest_delay_ms"
        }

        /// Reads the counts.
        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            checks = members.value(.checks)
            shared = members.value(.shared)
            skipped = members.value(.skipped)
            refused = members.value(.refused)
            longestDelay = members.milliseconds(.longestDelay)
            bytes = members.value(.bytes) ?? [:]
        }
    }

    /// What the agent was configured with.
    public struct Configuration: Decodable, Sendable, Hashable {
        /// The files that were read, the main one first.
        public let files: [String]
        /// When they were read last and found good.
        public let loaded: Timestamp?

        private enum CodingKeys: String, CodingKey { case files, loaded }

        /// Reads the configuration's place.
        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            files = members.list(.files)
            loaded = members.timestamp(.loaded)
        }
    }
}
