public import AgentEvents

/// The events that a stream delivers, and its start.
public struct StateSubscription: Sendable, Hashable {
    /// The event types, with or without the prefix `reachagent.`; `path.*` selects all types that start with `path.`.
    ///
    /// If empty, all types pass. `EventType` lists the types; an agent that does not know one refuses the subscription.
    public var types: [String]
    /// The subjects of the events, which must match exactly.
    ///
    /// A subject is `default`, a target's name, or `agent`. If empty, all subjects pass.
    public var subjects: [String]
    /// The number after which the events start; `nil` to start with the current state.
    public var since: UInt64?
    /// The time from which the events start, if ``since`` is `nil`.
    public var sinceTime: Timestamp?
    /// The name of the stream to which ``since`` belongs (``StreamHello/stream``); `nil` if it is not known.
    public var stream: String?
    /// `true` to reconnect after a lost connection; otherwise the stream ends with an error.
    public var reconnects: Bool

    /// `true` to resume with the state and the oldest available event if events expired while the connection was lost;
    /// otherwise the stream resumes with the state and the events after it.
    package var resumesWithOldest = true

    /// Creates a subscription.
    public init(
        types: [String] = [],
        subjects: [String] = [],
        since: UInt64? = nil,
        sinceTime: Timestamp? = nil,
        stream: String? = nil,
        reconnects: Bool = true
    ) {
        self.types = types
        self.subjects = subjects
        self.since = since
        self.sinceTime = sinceTime
        self.stream = stream
        self.reconnects = reconnects
    }

    /// `true` if events may be filtered out, so that a gap in the numbers does not mean a loss.
    var isFiltered: Bool { !types.isEmpty || !subjects.isEmpty }

    /// Returns the parameters of the request.
    ///
    /// - Parameters:
    ///   - time: The time to start with if there is no position yet.
    ///   - wantsSnapshot: `true` to get the state too if there is a position.
    func parameters(
        after position: UInt64?,
        of stream: String?,
        from time: Timestamp?,
        wantsSnapshot: Bool
    ) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            if !types.isEmpty {
                json.name("types")
                json.array(types) { $0.string($1) }
            }
            if !subjects.isEmpty {
                json.name("subjects")
                json.array(subjects) { $0.string($1) }
            }
            if let position {
                json.member("since_seq", position)
                json.member("stream", ifPresent: stream)
                if wantsSnapshot { json.member("snapshot", true) }
            } else if let time {
                json.member("since_time", time)
            }
        }
        return json.bytes
    }
}
