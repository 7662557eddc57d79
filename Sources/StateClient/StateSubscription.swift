public import AgentEvents

/// The events that a stream brings, and its first one.
public struct StateSubscription: Sendable, Hashable {
    /// The types of event, with or without the prefix `reachagent.`; `path.*` stands for all that begin with `path.`.
    ///
    /// Without any, all types pass.
    public var types: [String]
    /// The subjects of the events, compared whole.
    ///
    /// `default`, a target's name, or `agent`. Without any, all pass.
    public var subjects: [String]
    /// The number after which the events are wanted; `nil` to begin with the state as it is now.
    public var since: UInt64?
    /// The moment from which on the events are wanted, where ``since`` is `nil`.
    public var sinceTime: Timestamp?
    /// The name of the stream that ``since`` belongs to (``Hello/stream``); `nil` when it is not known.
    public var stream: String?
    /// `true` to make a lost connection again; otherwise the stream ends with an error.
    public var reconnects: Bool

    /// `true` to go on with the oldest event that is left, where events expired while the connection was lost; otherwise the
    /// stream resumes with the state as it is then.
    package var resumesWithOldest = false

    /// A subscription.
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

    /// `true` if some events may be left out, so that a hole in the numbers means nothing.
    var isFiltered: Bool { !types.isEmpty || !subjects.isEmpty }

    /// The parameters of the request.
    ///
    /// - Parameter time: The moment to begin with, where there is no position yet.
    func parameters(after position: UInt64?, of stream: String?, from time: Timestamp?) -> [UInt8] {
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
            } else if let time {
                json.member("since_time", time)
            }
        }
        return json.bytes
    }
}
