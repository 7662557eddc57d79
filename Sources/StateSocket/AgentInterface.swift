public import AgentEvents
public import ForeignText

/// The interface of the sockets to their agent.
///
/// Unless documented otherwise, its functions are called on the sockets' event loop: they must be quick and must not
/// block.
public protocol AgentInterface: Sendable {
    /// The name of the stream to which the numbers belong.
    var streamID: String { get }

    /// Returns the first two lines of every stream, and the number after which its events follow.
    func opening() -> StreamOpening

    /// Returns the event `subscriber.lagged`.
    ///
    /// - Parameter lastSequence: The number of the last event that was sent to the subscriber or skipped by its filter.
    func lagged(lastSequence: UInt64) -> Event

    /// Returns the agent's status as one JSON object.
    ///
    /// - Parameter connections: The number of connections, including this one.
    func status(connections: Int) -> [UInt8]

    /// The threads that the agent depends on.
    var threads: [AgentThread] { get }

    /// Returns a document of `http.sock`.
    ///
    /// Called on a thread that it may block.
    ///
    /// - Parameters:
    ///   - kind: The document.
    ///   - connections: The number of connections, including this one.
    func document(_ kind: AgentDocument.Kind, connections: Int) -> AgentDocument

    /// Returns a report on the journal as one JSON object.
    ///
    /// Called on a thread that it may block.
    ///
    /// - Parameters:
    ///   - request: The parameters of the report.
    ///   - isCancelled: Returns whether the client has disconnected and the rest of the work is useless.
    func report(_ request: ReportRequest, isCancelled: @escaping @Sendable () -> Bool) throws(ReportRefusal)
        -> AgentDocument

    /// Answers a request that the sockets do not answer themselves.
    ///
    /// - Parameters:
    ///   - request: The request, with checked parameters.
    ///   - client: The client, as recorded by the kernel when it connected.
    ///   - reply: Must be called once, from any thread, immediately or later.
    func answer(_ request: AgentRequest, from client: AgentClient, reply: @escaping @Sendable (ControlReply) -> Void)
}

/// A request for the agent.
public enum AgentRequest: Sendable, Hashable {
    /// `probe`: start the checks of one probe, or of all, now.
    case check(probe: ForeignText?)
    /// `reload`: reload the configuration.
    case reload
    /// `hooks`: return the status of all hooks.
    case hooks
    /// `sink`: take the report of a sink; only from root and the agent's own user.
    case sink(SinkReport)
}

/// The client that makes a request.
public struct AgentClient: Sendable, Hashable {
    /// The user; `nil` if unknown.
    public var user: UInt32?
    /// The process; `nil` if unknown, and 0 for a process of another PID namespace.
    public var process: Int32?

    /// Creates a client.
    public init(user: UInt32?, process: Int32? = nil) {
        self.user = user
        self.process = process
    }
}

/// A document over HTTP.
public struct AgentDocument: Sendable, Hashable {
    /// The documents that an agent provides.
    public enum Kind: Sendable, Hashable {
        /// The status page for people.
        case page
        /// Metrics in the text format of Prometheus.
        case metrics
        /// Metrics in the format of OpenMetrics 1.0.
        case openMetrics
    }

    /// The media type.
    public var contentType: String
    /// The Content-Security-Policy; `nil` for one that allows nothing.
    public var contentSecurityPolicy: String?
    /// The content.
    public var body: [UInt8]

    /// Creates a document.
    public init(contentType: String, contentSecurityPolicy: String? = nil, body: [UInt8]) {
        self.contentType = contentType
        self.contentSecurityPolicy = contentSecurityPolicy
        self.body = body
    }
}

/// The unparsed parameters of a report, which are those of `reachagent report`.
public struct ReportRequest: Sendable, Hashable {
    /// The names of the parameters, in the order of the documentation.
    public static let names = ["month", "since", "until", "uplink", "probe", "slo"]

    /// The values by name; each has at most 256 bytes.
    public var values: [String: String]

    /// Creates a request.
    public init(_ values: [String: String] = [:]) { self.values = values }
}

/// The reason for an error instead of a report, with a message for people.
public enum ReportRefusal: Error, Sendable, Hashable {
    /// A parameter is wrong.
    case invalid(String)
    /// The journal contains nothing to report on.
    case absent(String)
    /// The journal cannot be read, or the client has disconnected.
    case failed(String)
}

/// A thread whose liveness can be checked.
public struct AgentThread: Sendable {
    /// The name of the component that it belongs to.
    public var name: String
    /// Schedules a closure on the thread; it may never be called.
    public var whenFree: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// Creates a thread.
    public init(name: String, whenFree: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
        self.name = name
        self.whenFree = whenFree
    }
}

/// The start of a stream.
public struct StreamOpening: Sendable {
    /// The event `agent.hello`.
    public var hello: Event
    /// The event `network.snapshot`.
    public var snapshot: Event
    /// The number of the last event included in the snapshot: the stream continues with the next one.
    public var sequence: UInt64

    /// Creates an opening.
    public init(hello: Event, snapshot: Event, sequence: UInt64) {
        self.hello = hello
        self.snapshot = snapshot
        self.sequence = sequence
    }
}

/// The answer to a request.
public enum ControlReply: Sendable, Hashable {
    /// Success; the parameters as one JSON object.
    case parameters([UInt8])
    /// Failure: a code, a message for people, and the time to wait before a retry, if any.
    case failure(code: RequestCode, message: String, retryAfter: Duration? = nil)
}
