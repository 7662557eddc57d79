/// One event as it goes over the wire: a CloudEvents 1.0 object on a line of its own.
///
/// The line is encoded once, when the event is made; all consumers share it.
public struct Event: Sendable {
    /// The type.
    public let type: EventType
    /// What the event is about: `default`, a target's name, or `agent`.
    public let subject: String
    /// The moment at which the event was made.
    public let time: Timestamp
    /// The number; `nil` for types that are not numbered.
    public let sequence: UInt64?
    /// The JSON text in UTF-8, without the line's end.
    public let line: [UInt8]
    private let makeSummary: @Sendable () -> String

    /// The same event for people, in one line; made when it is asked for.
    public var summary: String { makeSummary() }

    /// Makes an event.
    ///
    /// - Parameters:
    ///   - draft: What the event says.
    ///   - origin: Where it comes from.
    ///   - time: The moment at which it is made.
    ///   - number: The sequence number of a numbered type; for the others a number that makes the `id` unique.
    public init(_ draft: EventDraft, from origin: EventOrigin, at time: Timestamp, number: UInt64) {
        type = draft.type
        subject = draft.subject
        self.time = time
        sequence = draft.type.isNumbered ? number : nil
        makeSummary = draft.makeSummary
        var json = JSONWriter()
        json.object { json in
            json.member("specversion", "1.0")
            json.member("id", "\(origin.streamID)-\(draft.type.isNumbered ? "" : "u")\(number)")
            json.member("source", origin.source)
            json.member("type", draft.type.rawValue)
            json.member("subject", draft.subject)
            json.member("time", time)
            if draft.type.isNumbered { json.member("seq", number) }
            json.name("data")
            json.object(draft.writeData)
        }
        line = json.bytes
    }
}

/// Where events come from: the parts of the envelope that stay the same.
public struct EventOrigin: Sendable, Hashable {
    /// The first part of each `id`: unique to a stream of numbers.
    public let streamID: String
    /// The CloudEvents `source`: `/reachagent/` and the host's name.
    public let source: String
    /// The kernel's name for this boot of the machine (`/proc/sys/kernel/random/boot_id`); `nil` when it is not known.
    public let bootID: String?

    /// An origin on a host.
    public init(streamID: String, host: String, bootID: String? = nil) {
        self.streamID = streamID
        self.bootID = bootID
        source = "/reachagent/\(host)"
    }
}

/// What an event says, before it has a number.
public struct EventDraft: Sendable {
    /// The type.
    public let type: EventType
    /// What the event is about.
    public let subject: String
    /// The same for people, in one line; made when it is asked for.
    public var summary: String { makeSummary() }
    /// Makes the event's line for people.
    let makeSummary: @Sendable () -> String
    /// Writes the members of `data`.
    let writeData: @Sendable (inout JSONWriter) -> Void

    /// A draft whose `data` has the members that `writeData` writes.
    ///
    /// - Parameters:
    ///   - type: The type.
    ///   - subject: What the event is about.
    ///   - summary: The same for people, in one line; made when it is asked for.
    ///   - writeData: Writes the members of `data`.
    public init(
        _ type: EventType,
        subject: String,
        summary: @autoclosure @escaping @Sendable () -> String,
        _ writeData: @escaping @Sendable (inout JSONWriter) -> Void
    ) {
        self.type = type
        self.subject = subject
        makeSummary = summary
        self.writeData = writeData
    }
}
