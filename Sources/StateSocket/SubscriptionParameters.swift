internal import AgentEvents
internal import ForeignText

/// The parameters of a subscription.
struct SubscriptionParameters: Sendable, Hashable {
    /// The format of the lines.
    var format: LineFormat
    /// The selected events.
    var filter: EventFilter
    /// The number after which the events start; `nil` for those after the snapshot.
    var since: UInt64?
    /// The time from which the events start, instead of a number.
    var sinceTime: Timestamp?
    /// The stream to which the number belongs.
    var stream: ForeignText?
    /// `true` to send the snapshot; `nil` to send it unless the events start after a number or from a time.
    var wantsSnapshot: Bool?
    /// The gap that the events start after, if the client cannot have all that it lacks.
    var gap: StreamGap?
    /// `true` for past events only: without `agent.hello`, and with the end at the newest event.
    var isHistory = false

    /// The subscription of a connection to events.sock.
    static let everything = SubscriptionParameters(format: .plain, filter: EventFilter())
}

/// Events that a client lacks and cannot have.
struct StreamGap: Sendable, Hashable {
    /// The reason.
    var code: RequestCode
    /// The number of the first event after them.
    var oldest: UInt64
}

/// The reason that a subscription is rejected.
struct StreamRefusal: Hashable {
    var code: RequestCode
    /// The single parameter with the details.
    var parameter: Parameter

    enum Parameter: Hashable {
        case stream(String)
        case newest(UInt64)
        case oldest(UInt64)
        /// A sentence for people.
        case message(String)
    }

    /// The reason, with the code.
    var sentence: String {
        let reason =
            switch parameter {
            case .stream: "the events before are of another stream"
            case .newest(let newest): "the newest event is #\(newest); after a reset, numbers begin again"
            case .oldest(let oldest): "the oldest event that is left is #\(oldest)"
            // The message has the paths of files, which are not for other machines.
            case .message: "the events cannot be read: try again"
            }
        return "\(reason) (\(code.rawValue))"
    }
}

/// The events that a subscriber selects.
struct EventFilter: Sendable, Hashable {
    /// A type, or a prefix of types.
    private struct TypePattern: Sendable, Hashable {
        var text: [UInt8]
        var isPrefix: Bool

        func matches(_ type: some Collection<UInt8>) -> Bool {
            isPrefix ? type.starts(with: text) : type.elementsEqual(text)
        }
    }

    /// The types as requested; `nil` for all.
    let types: [ForeignText]?
    /// The subjects; `nil` for all.
    let subjects: [ForeignText]?
    private let patterns: [TypePattern]
    private let subjectTexts: Set<[UInt8]>
    private let subjectSet: Set<ForeignText>

    /// Creates a filter for types, with or without the common prefix and with an optional `*` at the end, and subjects.
    init(types: [ForeignText]? = nil, subjects: [ForeignText]? = nil) {
        self.types = types
        self.subjects = subjects
        patterns = (types ?? []).map { type in
            let isPrefix = type.bytes.last == UInt8(ascii: "*")
            let name = isPrefix ? type.bytes.dropLast() : type.bytes[...]
            let prefix = name.starts(with: EventType.prefix.utf8) ? [] : Array(EventType.prefix.utf8)
            return TypePattern(text: prefix + name, isPrefix: isPrefix)
        }
        subjectSet = Set(subjects ?? [])
        // In the encoding of a line: the bytes between the quotation marks, with the writer's escapes.
        subjectTexts = Set(
            (subjects ?? []).map { subject in
                var json = JSONWriter()
                json.string(String(decoding: subject.bytes, as: UTF8.self))
                return Array(json.bytes.dropFirst().dropLast())
            }
        )
    }

    /// `true` if every event passes.
    var passesEverything: Bool { types == nil && subjects == nil }

    /// Returns whether a type passes.
    func passes(type: some Collection<UInt8>) -> Bool {
        types == nil || patterns.contains { $0.matches(type) }
    }

    /// Returns whether a type is selected by its name, or by a prefix longer than the common one.
    func asks(for type: some Collection<UInt8>) -> Bool {
        patterns.contains { $0.text.count > EventType.prefix.utf8.count && $0.matches(type) }
    }

    /// Returns whether a subject passes.
    func passes(subject: String) -> Bool { subjects == nil || subjectSet.contains(ForeignText(subject)) }

    /// Returns whether a subject passes in the encoding of a journal line.
    func passes(subjectText: ArraySlice<UInt8>) -> Bool { subjects == nil || subjectTexts.contains(Array(subjectText)) }
}
