internal import AgentEvents

/// The introduction of the agent at the beginning of each connection.
public struct Hello: Sendable, Hashable {
    /// The version of the events' schema; a higher one has more members.
    public var schema: Int
    /// The agent's version (Semantic Versioning).
    public var version: String
    /// The kernel's name for this boot of the machine.
    public var bootID: String?
    /// The name of the stream of numbers: numbers of different streams have nothing to do with each other.
    public var stream: String
    /// The number after which the events of the connection follow.
    public var sequence: UInt64
    /// The oldest number that can be replayed; `nil` when none can.
    public var oldestSequence: UInt64?
    /// The whole line, for those who pass the stream on.
    public var line: StreamLine

    /// Reads the event `agent.hello`.
    ///
    /// - Throws: ``ClientError/malformed(_:)`` when it is of another form.
    public init(_ line: StreamLine) throws(ClientError) {
        let data = try line.decodeData(AgentHello.self)
        schema = data.schema
        version = data.version
        bootID = data.bootID
        stream = data.stream
        sequence = data.sequence
        oldestSequence = data.oldestSequence
        self.line = line
    }
}
