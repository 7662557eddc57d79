/// One hop of a check: its target, or the target of a redirect.
public struct CheckHop: Sendable {
    /// The requested URL, without credentials.
    public var url: String
    /// The phases that started, in order; see ``Phase``.
    public var phases: [PhaseTiming] = []
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
    /// The egress interface of the connection, where it is known.
    public var interface: String?
    /// The result of the TLS handshake; nil without TLS, or when it did not start.
    public var tls: TLSReport?
    /// The response's head and the facts about its body; nil without a response.
    public var response: ResponseReport?
    /// The answer to a DNS query or an ICMP echo request, as a sentence; nil for other checks.
    public var answer: String?

    /// Creates an empty hop.
    public init(url: String) { self.url = url }
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
