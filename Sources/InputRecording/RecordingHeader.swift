internal import AgentEvents
internal import LinuxSupport
public import NetlinkMonitor

/// The first line of a recording: the recorder, the time, and the stream of the resulting events.
///
/// It contains the host's name only in `source`.
public struct RecordingHeader: Sendable, Hashable {
    /// The version of the format: raised when an older reader would misread a newer recording.
    public static let version = 1

    /// The agent's version.
    public var agent: String
    /// The stream of the resulting events: the first part of each `id`.
    public var stream: String
    /// The kernel's id of the boot during which the recording was made, if known.
    public var bootID: String?
    /// The number of the next event when the recording started.
    public var nextSequence: UInt64
    /// The CloudEvents `source` of the events; `nil` to keep the host's name out of the recording.
    public var source: String?
    /// The start of the recording, to which the instants of all inputs are relative.
    public var started: ObservedTime

    /// Creates a header.
    public init(
        agent: String,
        stream: String,
        bootID: String? = nil,
        nextSequence: UInt64,
        source: String? = nil,
        started: ObservedTime
    ) {
        self.agent = agent
        self.stream = stream
        self.bootID = bootID
        self.nextSequence = nextSequence
        self.source = source
        self.started = started
    }

    /// The JSON text of the line, without its end.
    var line: [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("recording", Self.version)
            json.member("agent", agent)
            json.member("stream", stream)
            json.member("boot_id", ifPresent: bootID)
            json.member("next_seq", nextSequence)
            json.member("source", ifPresent: source)
            json.member("started", Timestamp(microsecondsSince1970: started.microsecondsSince1970))
        }
        return json.bytes
    }

    private struct Members: Decodable {
        let recording: Int
        let agent: String?
        let stream: String?
        let bootID: String?
        let nextSequence: UInt64?
        let source: String?
        let started: String?

        enum CodingKeys: String, CodingKey {
            case recording, agent, stream
            case bootID = "boot_id"
            case nextSequence = "next_seq"
            case source, started
        }
    }

    /// Parses the line.
    ///
    /// - Parameters:
    ///   - line: The line, without its end.
    ///   - epoch: The start of the recording on this machine's clock.
    init(line: some Collection<UInt8>, epoch: ContinuousClock.Instant) throws(LineFault) {
        try InputBounds.checkStrings(of: line)
        let members: Members
        do {
            members = try EventDecoder.decode(Members.self, from: Array(line))
        } catch {
            throw .damaged("not a recording of reachagent")
        }
        guard members.recording == Self.version else { throw .version(members.recording) }
        guard let agent = members.agent, let stream = members.stream, let next = members.nextSequence else {
            throw .damaged("'agent', 'stream' or 'next_seq' is missing")
        }
        guard let text = members.started, let started = Timestamp(utc: Array(text.utf8).span) else {
            throw .damaged("'started' is not an RFC 3339 time in UTC")
        }
        self.init(
            agent: agent,
            stream: stream,
            bootID: members.bootID,
            nextSequence: next,
            source: members.source,
            started: ObservedTime(instant: epoch, microsecondsSince1970: started.microsecondsSince1970)
        )
    }
}

/// An error in a line, before its number and file are known.
enum LineFault: Error, Hashable {
    case version(Int)
    case damaged(String)

    var cause: RecordingError.Cause {
        switch self {
        case .version(let version): .version(version)
        case .damaged(let reason): .damaged(reason)
        }
    }
}

/// An error of writing or reading a recording.
public struct RecordingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The cause of an error.
    public enum Cause: Sendable, Hashable {
        /// The kernel's error (errno(3)).
        case errno(Int32)
        /// The recording has another version of the format.
        case version(Int)
        /// The content is invalid.
        case damaged(String)
    }

    /// The failed operation: `create`, `open`, `read` or `write`.
    public let operation: String
    /// The file.
    public let path: String
    /// The number of the line, from 1; `nil` if the error concerns no line.
    public let line: Int?
    /// The cause.
    public let cause: Cause

    /// Creates an error.
    public init(operation: String, path: String, line: Int? = nil, cause: Cause) {
        self.operation = operation
        self.path = path
        self.line = line
        self.cause = cause
    }

    /// The error in one line.
    public var description: String {
        let place = line.map { "\(path):\($0)" } ?? path
        return switch cause {
        case .errno(let number): "cannot \(operation) \(place): \(SystemError(errno: number))"
        case .version(let version):
            "\(place): a recording of version \(version), and version \(RecordingHeader.version) is the only one known"
        case .damaged(let reason): "\(place): \(reason)"
        }
    }
}
