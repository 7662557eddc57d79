public import EventEnvelope

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

    /// Answers a method that the sockets do not answer themselves.
    ///
    /// - Parameters:
    ///   - method: Its name, such as `probe` or `reload`.
    ///   - parameters: The request's parameters as one JSON object, which has been checked for its syntax.
    ///   - reply: To be called once, from any thread, at once or later.
    func call(_ method: String, parameters: [UInt8], reply: @escaping @Sendable (ControlReply) -> Void)
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
    /// It was not; a code in snake_case, and what to tell people.
    case failure(code: String, message: String)
}
