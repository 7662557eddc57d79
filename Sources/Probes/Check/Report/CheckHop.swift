/// One place that a check asked: its target, or where a redirect led.
public struct CheckHop: Sendable {
    /// The address that was asked, without credentials.
    public var url: String
    /// The phases that began, in order; see ``Phase``.
    public var phases: [PhaseTiming] = []
    /// The lookups that were answered, in the order of their answers; none for an address.
    public var lookups: [LookupReport] = []
    /// The addresses that the name has, in the order in which they are tried.
    public var addresses: [String] = []
    /// Every connection attempt, in the order in which they were started.
    public var attempts: [ConnectAttempt] = []
    /// The local address and port of the connection that was used: `192.0.2.7:51824`.
    public var localAddress: String?
    /// The address and port of the peer of the connection that was used.
    public var peerAddress: String?
    /// The interface that the connection left through, where it is known.
    public var interface: String?
    /// What the TLS handshake came to; nil without TLS, or when it did not begin.
    public var tls: TLSReport?
    /// The response's head and what is known of its body; nil when none came.
    public var response: ResponseReport?
    /// The answer of a DNS query or an ICMP echo in words; nil for other checks.
    public var answer: String?

    /// Creates a hop of which nothing is known yet.
    public init(url: String) { self.url = url }
}

/// One phase that began, and how long it took; the check may have ended in it.
public struct PhaseTiming: Sendable, Hashable {
    /// Which phase.
    public var phase: Phase
    /// When it began, from the check's beginning.
    public var start: Duration
    /// How long it took until it ended or the check was given up.
    public var duration: Duration
    /// Whether it came to its end.
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
    /// When it was started, from the check's beginning.
    public var start: Duration
    /// How long it took until it came to something.
    public var duration: Duration
    /// Why it failed; nil when it connected, or when another one was faster.
    public var failure: Finding?
    /// Whether this is the connection that was used.
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
