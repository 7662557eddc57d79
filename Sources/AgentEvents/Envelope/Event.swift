/// An event as the agent publishes it: the value, and its line on the wire.
///
/// The line is encoded once, when the event is created; all consumers share it and the value, because an event waits in
/// the queue of each of them.
public struct Event: Sendable {
    private final class Storage: Sendable {
        let type: EventType
        let value: AgentEvent
        let line: [UInt8]

        init(type: EventType, value: AgentEvent) {
            self.type = type
            self.value = value
            line = value.line
        }
    }

    private let storage: Storage

    /// The type.
    public var type: EventType { storage.type }
    /// The value.
    public var value: AgentEvent { storage.value }
    /// The JSON text in UTF-8, without the newline.
    public var line: [UInt8] { storage.line }

    /// The subject: `default`, `agent`, or the name of a target, a probe, an interface, a hook or a sink.
    public var subject: String { value.subject }
    /// The moment at which the event was created.
    public var time: Timestamp { value.time }
    /// The number; `nil` for types that are not numbered.
    public var sequence: UInt64? { value.sequence }
    /// The event as one line for people.
    public var summary: String { value.content.summary }

    /// Creates an event.
    ///
    /// - Parameters:
    ///   - draft: The type, the subject and the content.
    ///   - origin: The agent that publishes it.
    ///   - time: The moment at which it is created.
    ///   - number: The sequence number of a numbered type; for the others a number that makes the `id` unique.
    public init(_ draft: EventDraft, from origin: EventOrigin, at time: Timestamp, number: UInt64) {
        let isNumbered = draft.type.isNumbered
        let value = AgentEvent(
            id: "\(origin.streamID)-\(isNumbered ? "" : "u")\(number)",
            source: origin.source,
            type: draft.type.rawValue,
            subject: draft.subject,
            time: time,
            sequence: isNumbered ? number : nil,
            content: draft.content
        )
        storage = Storage(type: draft.type, value: value)
    }
}

extension AgentEvent {
    /// The event's line; unknown content is omitted.
    fileprivate var line: [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("specversion", "1.0")
            json.member("id", id)
            json.member("source", source)
            json.member("type", type)
            json.member("subject", subject)
            json.member("time", time)
            json.member("seq", ifPresent: sequence) { $0.number($1) }
            switch content {
            case .pathChanged(let change), .reachabilityChanged(let change), .targetChanged(let change):
                json.member("data", change)
            case .uplinkChanged(let change): json.member("data", change)
            case .unknown: break
            default: json.member("data", encoding: content)
            }
        }
        return json.bytes
    }
}

/// The origin of events: the constant parts of the envelope.
public struct EventOrigin: Sendable, Hashable {
    /// The first part of each `id`: unique to a stream of numbers.
    public let streamID: String
    /// The host's name.
    public let host: String
    /// The CloudEvents `source`: `/reachagent/` and the host's name.
    public let source: String
    /// The kernel's id of this boot of the machine (`/proc/sys/kernel/random/boot_id`); `nil` if it is not known.
    public let bootID: String?

    /// Creates an origin on a host.
    public init(streamID: String, host: String, bootID: String? = nil) {
        self.streamID = streamID
        self.bootID = bootID
        self.host = host
        source = "/reachagent/\(host)"
    }
}

/// An event before it has a number and a time.
public struct EventDraft: Sendable {
    /// The type.
    public let type: EventType
    /// The subject.
    public let subject: String
    /// The content.
    public let content: AgentEvent.Content

    /// The event as one line for people.
    public var summary: String { content.summary }

    /// Creates a draft.
    ///
    /// - Parameters:
    ///   - type: The type.
    ///   - subject: The subject; for all events about the agent, ``AgentEvent/agentSubject``.
    ///   - content: The content that belongs to the type.
    public init(_ type: EventType, subject: String = AgentEvent.agentSubject, _ content: AgentEvent.Content) {
        self.type = type
        self.subject = subject
        self.content = content
    }
}
