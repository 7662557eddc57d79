public import EventEnvelope
public import ForeignText

/// What the sockets have to know of the agent that they belong to.
///
/// All functions are called on the sockets' event loop: they must be quick and must not block.
public protocol AgentInterface: Sendable {
    /// The name of the stream that the numbers belong to.
    var streamID: String { get }

    /// The first two lines of every stream, and the number after which its events follow.
    func opening() -> StreamOpening

    /// The event `subscriber.lagged`.
    ///
    /// - Parameter lastSequence: The number of the last event that the subscriber was sent or that its filter passed over.
    func lagged(lastSequence: UInt64) -> Event

    /// The agent's status as one JSON object.
    ///
    /// - Parameter connections: How many connections there are, with this one.
    func status(connections: Int) -> [UInt8]

    /// Answers a request that the sockets do not answer themselves.
    ///
    /// - Parameters:
    ///   - request: The request, whose parameters have been checked for their form.
    ///   - user: The user that asks, as the kernel had it when the client connected; `nil` where it is not known.
    ///   - reply: To be called once, from any thread, at once or later.
    func answer(_ request: AgentRequest, from user: UInt32?, reply: @escaping @Sendable (ControlReply) -> Void)
}

/// A request that the agent answers.
public enum AgentRequest: Sendable, Hashable {
    /// `probe`: begin the checks of a probe, or of all, now.
    case check(probe: ForeignText?)
    /// `reload`: read the configuration again.
    case reload
    /// `hooks`: the state of all hooks.
    case hooks
}

/// What a stream begins with.
public struct StreamOpening: Sendable {
    /// The event `agent.hello`.
    public var hello: Event
    /// The event `network.snapshot`.
    public var snapshot: Event
    /// The number of the last event whose effect the snapshot shows: the stream goes on with the next one.
    public var sequence: UInt64

    /// An opening.
    public init(hello: Event, snapshot: Event, sequence: UInt64) {
        self.hello = hello
        self.snapshot = snapshot
        self.sequence = sequence
    }
}

/// The answer to a request.
public enum ControlReply: Sendable, Hashable {
    /// It was done; the parameters as one JSON object.
    case parameters([UInt8])
    /// It was not: a code in snake_case, a message for people, and the time after which to try again, where there is one.
    case failure(code: String, message: String, retryAfter: Duration? = nil)
}
