public import AgentEvents

/// An element of a stream.
public enum StreamItem: Sendable, Hashable {
    /// A connection was made, for the first time or again.
    case connected(Hello)
    /// The complete state, after the number of the hello before it.
    case snapshot(StreamLine)
    /// An event.
    ///
    /// Each number comes once and in order, over all connections.
    case event(StreamLine)
    /// The connection was lost, or could not be made; it is tried again after a while, or when the socket appears.
    case interrupted(ClientError, retryIn: Duration)
    /// The events with these numbers are no longer to be had; those among them that no filter holds back are lost.
    case missed(ClosedRange<UInt64>)
    /// The agent counts anew: the numbers so far mean nothing any more. The snapshot follows.
    case restarted(from: String?, to: String)
}

/// One event of a stream: a CloudEvents object on a line of its own.
public struct StreamLine: Sendable, Hashable {
    /// The JSON text as the agent wrote it, in UTF-8, without the line's end.
    public let bytes: [UInt8]
    /// The envelope; the whole line is well-formed.
    public let scanned: ScannedLine

    /// A line; `nil` when it is no event.
    public init?(_ bytes: [UInt8]) {
        guard let scanned = ScannedLine(bytes.span) else { return nil }
        self.bytes = bytes
        self.scanned = scanned
    }

    /// The type, such as `reachagent.reachability.changed`.
    public var type: String { String(decoding: bytes[scanned.type], as: UTF8.self) }

    /// The subject of the event: `default`, a target's name, or `agent`.
    public var subject: String { String(decoding: bytes[scanned.subject], as: UTF8.self) }

    /// The number; `nil` when the event is not numbered.
    public var sequence: UInt64? { scanned.sequence }

    /// The event as a typed value, decoded on each access; `nil` if its envelope has a form that this version does not
    /// know.
    public var event: AgentEvent? { AgentEvent(line: bytes) }

    /// Decodes the whole event, including its envelope, as a type of the caller; see ``event`` for the agent's own types.
    ///
    /// - Throws: ``ClientError/malformed(_:)`` when the event is of another form.
    public func decode<Content: Decodable>(_ type: Content.Type) throws(ClientError) -> Content {
        do {
            return try EventDecoder.decode(type, from: bytes)
        } catch {
            throw .malformed("an event of type '\(self.type)' is of another form")
        }
    }

    /// Decodes the member `data`.
    ///
    /// - Throws: ``ClientError/malformed(_:)`` when it is of another form.
    public func decodeData<Content: Decodable>(_ type: Content.Type) throws(ClientError) -> Content {
        try decode(Envelope<Content>.self).data
    }

    private struct Envelope<Content: Decodable>: Decodable {
        let data: Content
    }

    /// Returns true when the event is of a type.
    func isOf(_ type: EventTypeName) -> Bool { bytes[scanned.type].elementsEqual(type.rawValue.utf8) }
}

/// The types that a stream is made of, beside its events.
enum EventTypeName: String {
    case hello = "reachagent.agent.hello"
    case snapshot = "reachagent.network.snapshot"
}

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
