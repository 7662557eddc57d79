public import AgentEvents
internal import ForeignText

/// An element of a stream.
public enum StreamItem: Sendable, Hashable {
    /// A connection was established, for the first time or again.
    case connected(StreamHello)
    /// The complete state after the event with the number in the preceding hello.
    ///
    /// After ``missed(_:)``, the remaining events up to that number follow it: they are older than the state.
    case snapshot(StreamLine)
    /// An event.
    ///
    /// Each number is delivered once and in order, over all connections.
    case event(StreamLine)
    /// The connection was lost or could not be established; it is retried after a while, or when the socket appears.
    case interrupted(StateClientError, retryIn: Duration)
    /// The events with these numbers are no longer available; those that would have passed the filter are lost.
    ///
    /// It precedes the ``connected(_:)`` of the connection that resumes, or follows it if none of the later events is
    /// available either; the state is next. A gap in the agent's history is followed by the event after it.
    case missed(ClosedRange<UInt64>)
    /// The number of unnumbered events, such as `probe.completed`, that the agent dropped because they were not read in
    /// time; the next one of them follows.
    ///
    /// They are not stored, and cannot be requested again. No numbered event is lost by that.
    case dropped(UInt64)
    /// The stream cannot resume after its number, and begins with the snapshot, which follows.
    ///
    /// With two different streams the agent has restarted its numbering, and the former numbers are meaningless. Without a
    /// former stream, or with the same one, the number is beyond the last one of the agent.
    case restarted(from: String?, to: String)
}

/// An event of a stream: a CloudEvents object on its own line.
public struct StreamLine: Sendable, Hashable {
    /// The JSON text as the agent wrote it, in UTF-8, without the newline.
    public let bytes: [UInt8]
    /// The envelope; the whole line is well-formed.
    public let scanned: ScannedLine

    /// Parses a line; `nil` if it is not an event.
    public init?(_ bytes: [UInt8]) {
        guard let scanned = ScannedLine(bytes.span) else { return nil }
        self.bytes = bytes
        self.scanned = scanned
    }

    /// The type, such as `reachagent.reachability.changed`.
    public var type: String { String(decoding: bytes[scanned.type], as: UTF8.self) }

    /// The subject of the event: `default`, a target's name, or `agent`.
    public var subject: String { String(decoding: bytes[scanned.subject], as: UTF8.self) }

    /// The number; `nil` if the event is unnumbered.
    public var sequence: UInt64? { scanned.sequence }

    /// The event as a typed value, decoded on each access; `nil` if this version does not know the format of its
    /// envelope.
    public var event: AgentEvent? { AgentEvent(line: bytes) }

    /// Decodes the whole event, including its envelope, as a type of the caller; see ``event`` for the agent's own
    /// types.
    ///
    /// - Throws: ``StateClientError/malformed(_:)`` if the event cannot be decoded.
    public func decode<Content: Decodable>(_ type: Content.Type) throws(StateClientError) -> Content {
        do {
            return try EventDecoder.decode(type, from: bytes)
        } catch {
            throw .undecodable("an event of type '\(ForeignText.shown(bytes[scanned.type], limit: 64))'", error)
        }
    }

    /// Decodes the member `data`.
    ///
    /// - Throws: ``StateClientError/malformed(_:)`` if it cannot be decoded.
    public func decodeData<Content: Decodable>(_ type: Content.Type) throws(StateClientError) -> Content {
        try decode(Envelope<Content>.self).data
    }

    private struct Envelope<Content: Decodable>: Decodable {
        let data: Content
    }

    /// Returns whether the event is of a type.
    func isOf(_ type: EventType) -> Bool { bytes[scanned.type].elementsEqual(type.rawValue.utf8) }
}

/// The agent's first event on each connection, which identifies the agent and its stream.
public struct StreamHello: Sendable, Hashable {
    /// The version of the events' schema; a higher version has more members.
    public var schema: Int
    /// The agent's version (Semantic Versioning).
    public var version: String
    /// The kernel's ID of the current boot.
    public var bootID: String?
    /// The name of the stream to which the numbers belong; numbers of different streams are unrelated.
    public var stream: String
    /// The number after which the events of the connection follow.
    public var sequence: UInt64
    /// The oldest number that can be replayed; `nil` if none can.
    public var oldestSequence: UInt64?
    /// The whole line, for programs that forward the stream.
    public var line: StreamLine

    /// Decodes the event `agent.hello`.
    ///
    /// - Throws: ``StateClientError/malformed(_:)`` if it cannot be decoded.
    public init(_ line: StreamLine) throws(StateClientError) {
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
