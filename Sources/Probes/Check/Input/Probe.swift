public import CheckResults
public import HTTPSerialization
public import ServerTrust

public import struct FoundationEssentials.Date

/// One check: the target, the request, and the expected response.
public struct Probe: Sendable {
    /// An endpoint to connect to instead of the target's host and port.
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

    /// The target of the check.
    public var target: ProbeTarget { didSet { renewSecrets() } }
    /// The request of an HTTP check; ignored for other targets.
    public var request: ProbeRequest { didSet { renewSecrets() } }
    /// The serializer of the request.
    public var serializer: RequestSerializer { didSet { renewSecrets() } }
    /// The expectations of the response.
    public var expectations: ResponseExpectations
    /// The evaluator of the server's trust.
    public var trust: TrustEvaluator
    /// The options of TLS handshakes.
    public var tls: TLSOptions
    /// The egress interface of all packets (`SO_BINDTODEVICE`); nil for that of the route.
    ///
    /// Names are looked up by the system's resolver, over any interface.
    public var interface: String?
    /// The address families that may be used.
    public var families: AddressFamilies
    /// The endpoint for TCP instead of the target's host and port.
    ///
    /// The names in the request and in TLS stay the target's. Redirects to another host are followed there.
    public var connectTo: Endpoint?
    /// The timeout of the whole check, redirects and evaluation included; the `timeoutInterval` of an HTTP check's
    /// request or serializer overrides it.
    public var timeout: Duration
    /// The maximum number of redirects to follow; with zero a redirect is a response like any other.
    public var maximumRedirects: Int
    /// Limits on the input from the target.
    public var limits: ProbeLimits
    /// The time at which certificates must be valid; nil for now.
    public var evaluationDate: Date?
    /// The bounded transfer that an HTTP check makes in place of its single request; nil for an ordinary check.
    public var transfer: TransferPlan?
    /// Revises the report of a check that did not succeed, with what else the system knows about the target; nil for no
    /// revision.
    ///
    /// Called on a thread of its own, which it may block briefly. If the system has no thread left, a failure ends with the
    /// code `resources_exhausted` instead, and without a verdict on the target.
    public var review: (@Sendable (CheckReport) -> CheckReport)?
    /// `true` if the request's secrets are replaced in the kept body, which may then no longer be parsed.
    var isBodyRedacted = true
    /// The secrets of the request and its serializer, which copies share.
    private(set) var secrets: ProbeSecrets

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
        secrets = ProbeSecrets(request, by: serializer, to: target.url)
    }

    private mutating func renewSecrets() { secrets = ProbeSecrets(request, by: serializer, to: target.url) }

    /// Checks for contradictory settings.
    ///
    /// - Throws: `SecurityPolicyError.pinningWithoutTLS(target:)` when a policy with pins is combined with a target
    ///   without TLS: silence would look like protection.
    public func validate() throws(SecurityPolicyError) {
        guard trust.policy.pinningMode != .none else { return }
        if case .http(let url) = target, url.scheme == .https { return }
        throw .pinningWithoutTLS(target: target.shown)
    }
}

/// Limits on the input that a check accepts from its target, all enforced while reading.
///
/// The response expectations have body limits of their own; the lower limit applies. Negative values count as zero.
public struct ProbeLimits: Sendable, Hashable {
    /// The maximum size of a response's header fields, names and values together, in bytes.
    public var headerBytes: Int { didSet { headerBytes = max(0, headerBytes) } }
    /// The maximum number of a response's header fields.
    public var headerCount: Int { didSet { headerCount = max(0, headerCount) } }
    /// The maximum size of a body as sent, in bytes.
    public var bodyBytes: Int { didSet { bodyBytes = max(0, bodyBytes) } }
    /// The maximum size of a decoded body, in bytes.
    public var inflatedBodyBytes: Int { didSet { inflatedBodyBytes = max(0, inflatedBodyBytes) } }
    /// The maximum number of addresses to try, over both families, at least one.
    public var addresses: Int { didSet { addresses = max(1, addresses) } }
    /// The number of bytes that the report keeps of the decoded body, from its start; 0 keeps none.
    ///
    /// Bytes that are secrets of the request are replaced in it, except in the report of a ``PortalAPI`` check.
    public var keptBodyBytes: Int { didSet { keptBodyBytes = max(0, keptBodyBytes) } }

    /// The maximum number of bytes received for each hop, of any kind: TLS records, frames, chunks and their
    /// extensions, datagrams; nil for ``defaultReceivedBytes``.
    public var receivedBytes: Int? { didSet { receivedBytes = receivedBytes.map { max(0, $0) } } }
    /// The rest of a link's data budget, for bytes in both directions; nil for no budget.
    ///
    /// A check that exceeds it ends without a verdict on its target.
    public var budgetBytes: Int? { didSet { budgetBytes = budgetBytes.map { max(0, $0) } } }
    /// The maximum number of work steps to evaluate a response, each about the time to process one byte.
    public var evaluationSteps: Int { didSet { evaluationSteps = max(0, evaluationSteps) } }

    /// Creates limits.
    public init(
        headerBytes: Int = 64 * 1024,
        headerCount: Int = 256,
        bodyBytes: Int = 1024 * 1024,
        inflatedBodyBytes: Int = 8 * 1024 * 1024,
        addresses: Int = 16,
        keptBodyBytes: Int = 0,
        receivedBytes: Int? = nil,
        budgetBytes: Int? = nil,
        evaluationSteps: Int = 256 << 20
    ) {
        self.headerBytes = max(0, headerBytes)
        self.headerCount = max(0, headerCount)
        self.bodyBytes = max(0, bodyBytes)
        self.inflatedBodyBytes = max(0, inflatedBodyBytes)
        self.addresses = max(1, addresses)
        self.keptBodyBytes = max(0, keptBodyBytes)
        self.receivedBytes = receivedBytes.map { max(0, $0) }
        self.budgetBytes = budgetBytes.map { max(0, $0) }
        self.evaluationSteps = max(0, evaluationSteps)
    }

    /// Twice the limits of header and body, because each is framed, plus 512 KiB for handshakes.
    public var defaultReceivedBytes: Int {
        let (content, isTooLarge) = headerBytes.addingReportingOverflow(bodyBytes)
        return isTooLarge || content > .max / 4 ? .max : 2 * content + (512 << 10)
    }
}
