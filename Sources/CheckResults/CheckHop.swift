internal import ForeignText

/// One hop of a check: its target, or the target of a redirect.
public struct CheckHop: Sendable {
    /// The requested URL, without credentials.
    public var url: String
    /// The phases that started, in order; see ``Phase``.
    public var phases: [PhaseTiming] = []
    /// The name that was looked up: that of the URL, unless the probe connects to another one; nil for an address.
    package var lookedUpName: String?
    /// The completed lookups, in the order of their answers; none for an address.
    public var lookups: [LookupReport] = []
    /// The addresses of the name, in the order of the attempts.
    public var addresses: [String] = []
    /// All connection attempts, in the order of their starts.
    public var attempts: [ConnectAttempt] = []
    /// The local address and port of the used connection: `192.0.2.7:51824`.
    public var localAddress: String?
    /// The peer's address and port of the used connection.
    public var peerAddress: String?
    /// The egress interface of the connection, if known.
    public var interface: String?
    /// The result of the TLS handshake; nil without TLS, or when it did not start.
    public var tls: TLSReport?
    /// The response's head and the facts about its body; nil without a response.
    public var response: ResponseReport?
    /// The answer to a DNS query or an ICMP echo request, as a sentence; nil for other checks.
    public var answer: String?

    /// Creates an empty hop.
    public init(url: String) { self.url = url }

    /// The address of the used connection, else that of the last attempt; nil without one.
    package var peer: HostAddress? { (peerAddress ?? attempts.last?.address).flatMap { HostAddress(endpoint: $0) } }

    /// `true` if the name has led to this machine itself, as by a name server that filters: it answers in the place of
    /// the server.
    ///
    /// False for an address and for `localhost`, whose server is meant to be this machine.
    package var leadsToThisMachine: Bool { lookedUpName != nil && !namesThisMachine && isAtThisMachine }

    /// `true` if the connection, or without one each attempt to connect, was to an address of this machine.
    var isAtThisMachine: Bool {
        let tried = peerAddress.map { [$0] } ?? attempts.map(\.address)
        return !tried.isEmpty && tried.allSatisfy { HostAddress(endpoint: $0)?.isThisMachine == true }
    }

    /// `true` if `localhost` or a name below it was looked up (RFC 6761, section 6.3).
    private var namesThisMachine: Bool {
        guard let host = lookedUpName?.lowercased() else { return false }
        let name = host.hasSuffix(".") ? host.dropLast() : host[...]
        return name == "localhost" || name.hasSuffix(".localhost")
    }
}

/// The timing of a phase that started; the check may have ended in it.
public struct PhaseTiming: Sendable, Hashable {
    /// The phase.
    public var phase: Phase
    /// The start of the phase, relative to the start of the check.
    public var start: Duration
    /// The time until the phase completed or the check was abandoned.
    public var duration: Duration
    /// `true` if the phase completed.
    public var isComplete: Bool

    /// Creates a timing.
    public init(phase: Phase, start: Duration, duration: Duration, isComplete: Bool) {
        self.phase = phase
        self.start = start
        self.duration = duration
        self.isComplete = isComplete
    }
}

/// One attempt to connect to one address.
public struct ConnectAttempt: Sendable, Hashable {
    /// The address and port: `192.0.2.7:443`, `[2001:db8::1]:443`.
    public var address: String
    /// The start of the attempt, relative to the start of the check.
    public var start: Duration
    /// The time until the attempt succeeded, failed or was abandoned.
    public var duration: Duration
    /// The failure; nil when the attempt connected, or when another one was faster.
    public var failure: Finding?
    /// `true` for the connection that was used.
    public var isUsed: Bool

    /// Creates an attempt.
    public init(address: String, start: Duration, duration: Duration, failure: Finding?, isUsed: Bool) {
        self.address = address
        self.start = start
        self.duration = duration
        self.failure = failure
        self.isUsed = isUsed
    }
}

/// One lookup of a name in one address family.
public struct LookupReport: Sendable, Hashable {
    /// The address family.
    public var family: HostAddress.Family
    /// The start of the lookup, relative to the start of the check.
    public var start: Duration
    /// The time until the answer.
    public var duration: Duration
    /// The addresses, in the resolver's order.
    public var addresses: [String]
    /// The failure; nil when there are addresses.
    public var failure: Finding?

    /// Creates a report.
    public init(
        family: HostAddress.Family,
        start: Duration,
        duration: Duration,
        addresses: [String] = [],
        failure: Finding? = nil
    ) {
        self.family = family
        self.start = start
        self.duration = duration
        self.addresses = addresses
        self.failure = failure
    }
}

/// The result of a TLS handshake.
public struct TLSReport: Sendable, Hashable {
    /// The protocol version: `TLSv1.3`; nil when the handshake did not complete.
    public var version: String?
    /// The cipher suite, if the TLS library reports it.
    public var cipher: String?
    /// The protocol selected by ALPN: `h2`, `http/1.1`; nil when the server selected none.
    public var applicationProtocol: String?
    /// The name sent in the server name extension; nil for an address.
    public var serverName: String?
    /// The security policy's verdict on the server's certificates; nil when none were received.
    public var trust: TrustVerdict?

    /// Creates an empty report.
    public init(serverName: String? = nil) { self.serverName = serverName }
}

/// The head of an HTTP response, and the facts about its body.
public struct ResponseReport: Sendable, Hashable {
    /// The protocol version: `1.0`, `1.1`, `2`.
    public var httpVersion: String
    /// The status code.
    public var status: Int
    /// The header fields in the order of arrival.
    public var headers: [HeaderField]
    /// The size of the body as sent, in bytes; at most the limit.
    public var bodyBytes: Int
    /// The size of the decoded body, in bytes; nil without a content encoding.
    public var decodedBodyBytes: Int?
    /// The start of the decoded body, up to `ProbeLimits.keptBodyBytes`; nil when that is 0.
    ///
    /// Bytes that are secrets of the request are replaced, except in the report of a `PortalAPI` check. It is never written
    /// to JSON or a log.
    public var body: [UInt8]?

    /// Creates a report.
    public init(
        httpVersion: String,
        status: Int,
        headers: [HeaderField],
        bodyBytes: Int = 0,
        decodedBodyBytes: Int? = nil
    ) {
        self.httpVersion = httpVersion
        self.status = status
        self.headers = headers
        self.bodyBytes = bodyBytes
        self.decodedBodyBytes = decodedBodyBytes
    }
}

/// One field of an HTTP header.
public struct HeaderField: Sendable, Hashable {
    /// The field's name, which is case-insensitive.
    public let name: String
    /// The field's value without surrounding whitespace.
    public let value: String

    /// Creates a field without validating it; the request serializer does.
    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }

    /// Returns whether the field has the given name, comparing bytes and ignoring the case of ASCII letters.
    public func isNamed(_ wanted: String) -> Bool {
        name.utf8.count == wanted.utf8.count
            && zip(name.utf8, wanted.utf8).allSatisfy { $0.lowercasedASCII == $1.lowercasedASCII }
    }

    /// `true` if the value is a credential, which no log, event or terminal may show.
    public var isSecret: Bool {
        SecretName.isSecret(name)
    }
}
