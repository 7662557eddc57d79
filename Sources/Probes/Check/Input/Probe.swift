public import struct FoundationEssentials.Date

/// One check to make: what to ask, how, and what must come back.
public struct Probe: Sendable {
    /// Another place to connect to than the target's host and port.
    public struct Endpoint: Sendable, Hashable {
        /// The name or address.
        public var host: ServerIdentity
        /// The TCP port.
        public var port: UInt16

        /// Creates an endpoint.
        public init(host: ServerIdentity, port: UInt16) {
            self.host = host
            self.port = port
        }
    }

    /// What is asked.
    public var target: ProbeTarget
    /// The request of an HTTP check; other targets have no use for it.
    public var request: ProbeRequest
    /// How the request is built.
    public var serializer: RequestSerializer
    /// What a response must be.
    public var expectations: ResponseExpectations
    /// Who decides whether the server is the right one.
    public var trust: TrustEvaluator
    /// How TLS handshakes are made.
    public var tls: TLSOptions
    /// The interface that everything is sent through (`SO_BINDTODEVICE`); nil for the route's.
    ///
    /// Names are looked up by the system's resolver, over whatever way that takes.
    public var interface: String?
    /// Which addresses may be used.
    public var families: AddressFamilies
    /// Where TCP goes instead of the target's host and port.
    ///
    /// The names in the request and in TLS stay the target's. Redirects to another place go where they say.
    public var connectTo: Endpoint?
    /// The time for everything, redirects and the evaluation included; a request's own time limit replaces it.
    public var timeout: Duration
    /// How many redirects are followed; with zero a redirect is a response like any other.
    public var maximumRedirects: Int
    /// How much is accepted from the target.
    public var limits: ProbeLimits
    /// The moment for which certificates are judged; nil for now.
    public var evaluationDate: Date?

    /// Creates a check.
    public init(
        target: ProbeTarget,
        request: ProbeRequest = ProbeRequest(),
        serializer: RequestSerializer = RequestSerializer(),
        expectations: ResponseExpectations = ResponseExpectations(),
        trust: TrustEvaluator,
        tls: TLSOptions = TLSOptions(),
        interface: String? = nil,
        families: AddressFamilies = .any,
        connectTo: Endpoint? = nil,
        timeout: Duration = .seconds(10),
        maximumRedirects: Int = 0,
        limits: ProbeLimits = ProbeLimits(),
        evaluationDate: Date? = nil
    ) {
        self.target = target
        self.request = request
        self.serializer = serializer
        self.expectations = expectations
        self.trust = trust
        self.tls = tls
        self.interface = interface
        self.families = families
        self.connectTo = connectTo
        self.timeout = timeout
        self.maximumRedirects = maximumRedirects
        self.limits = limits
        self.evaluationDate = evaluationDate
    }

    /// Looks for settings that contradict each other.
    ///
    /// - Throws: ``SecurityPolicyError/pinningWithoutTLS(target:)`` when a policy that pins is given to a target that is
    ///   not reached over TLS: silence would look like protection.
    public func validate() throws(SecurityPolicyError) {
        guard trust.policy.pinningMode != .none else { return }
        if case .http(let url) = target, url.scheme == .https { return }
        throw .pinningWithoutTLS(target: target.description)
    }
}
