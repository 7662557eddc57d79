internal import AgentEvents
internal import Glibc
internal import LinuxSupport

/// A connection to the control socket, used by one thread that may sleep.
struct AgentConnection: ~Copyable {
    private let socket: StreamSocket
    private let location: SocketLocation
    private var lines = LineBuffer()
    private var chunk = [UInt8](repeating: 0, count: 1 << 16)

    /// Connects; `wakeup` interrupts every wait of the thread with ``StateClientError/cancelled``.
    init(
        to location: SocketLocation,
        wakeup: Wakeup,
        deadline: ContinuousClock.Instant? = nil
    ) throws(StateClientError) {
        self.location = location
        socket = try StreamSocket(connectingTo: location, wakeup: wakeup, deadline: deadline)
    }

    /// The socket's descriptor.
    var descriptor: Int32 { socket.descriptor }

    /// Sends a request.
    ///
    /// - Parameter parameters: One JSON object.
    func send(
        _ method: String,
        parameters: [UInt8],
        wantsMore: Bool = false,
        deadline: ContinuousClock.Instant? = nil
    ) throws(StateClientError) {
        var json = JSONWriter()
        json.object { json in
            json.member("method", method)
            if !parameters.isEmpty {
                json.name("parameters")
                // A newline is mere whitespace in JSON, but would end the request here.
                json.value(parameters.map { $0 == 0x0A ? 0x20 : $0 })
            }
            if wantsMore { json.member("more", true) }
        }
        try socket.send(json.bytes + [0x0A], deadline: deadline)
    }

    /// Waits for the next line, and returns it.
    ///
    /// - Throws: ``StateClientError/disconnected(socket:)`` at the end of the connection; an incomplete line is dropped.
    mutating func nextLine(deadline: ContinuousClock.Instant? = nil) throws(StateClientError) -> ArraySlice<UInt8> {
        while true {
            if let line = try lines.next() { return line }
            guard let count = try socket.receive(into: &chunk, canWait: true, deadline: deadline), count > 0 else {
                throw .disconnected(socket: location.path)
            }
            lines.append(chunk[..<count])
        }
    }

    /// Returns the next line if it can be received without waiting; `nil` otherwise.
    mutating func nextLineWithoutWaiting() throws(StateClientError) -> ArraySlice<UInt8>? {
        while true {
            if let line = try lines.next() { return line }
            guard let count = try socket.receive(into: &chunk, canWait: false, deadline: nil) else { return nil }
            guard count > 0 else { throw .disconnected(socket: location.path) }
            lines.append(chunk[..<count])
        }
    }
}

/// Splits bytes into lines of a bounded length.
struct LineBuffer {
    /// The maximum size of a reply, which is an event with a small envelope.
    static let maximumBytes = ScannedLine.maximumBytes + 1024

    private let maximumBytes: Int
    private var bytes: [UInt8] = []
    private var start = 0
    /// The offset up to which the buffer is known to contain no newline.
    private var searched = 0

    init(maximumBytes: Int = LineBuffer.maximumBytes) { self.maximumBytes = maximumBytes }

    /// Appends received bytes.
    mutating func append(_ received: ArraySlice<UInt8>) {
        if start > 0 {
            // The rest is part of one line, because all complete lines are taken before more is received.
            bytes.removeFirst(start)
            searched -= start
            start = 0
        }
        bytes += received
    }

    /// Returns the next complete line, without its newline; `nil` if more has to be received.
    ///
    /// - Throws: ``StateClientError/malformed(_:)`` if the line exceeds the maximum size.
    mutating func next() throws(StateClientError) -> ArraySlice<UInt8>? {
        guard let end = endOfLine() else {
            searched = bytes.count
            guard bytes.count - start <= maximumBytes else { throw tooLong }
            return nil
        }
        let line = bytes[start..<end]
        start = end + 1
        searched = start
        guard line.count <= maximumBytes else { throw tooLong }
        return line
    }

    private var tooLong: StateClientError { .malformed("a line is longer than \(maximumBytes) bytes") }

    private func endOfLine() -> Int? {
        bytes.withUnsafeBytes { bytes in
            guard searched < bytes.count, let base = bytes.baseAddress else { return nil }
            guard let found = memchr(base + searched, 0x0A, bytes.count - searched) else { return nil }
            return UnsafeRawPointer(found) - base
        }
    }
}

/// A line from the agent: the parameters of a reply, or an error.
enum Reply {
    /// The JSON text of the parameters, `{}` if there are none, and the number of unnumbered events that were dropped
    /// before this one.
    case parameters(ArraySlice<UInt8>, dropped: UInt64)
    /// The request failed, or the subscription ended.
    case error(ErrorReply)

    /// Parses a line without decoding its parameters, because a stream has parameters for each event.
    ///
    /// - Throws: ``StateClientError/malformed(_:)`` if the line is not a single JSON object, is from another socket than
    ///   control.sock, its `error` is not a string, or its `dropped` is not a whole number of 64 bits.
    init(_ line: ArraySlice<UInt8>) throws(StateClientError) {
        guard let members = JSONText.values(of: ["parameters", "error", "specversion", "dropped"], in: line.span) else {
            if line.starts(with: "HTTP/1.".utf8) { throw .httpSocket }
            throw .malformed("a reply is not one JSON object")
        }
        // Without the members of a reply it would be taken for one without parameters: a success.
        guard members[2] == nil else { throw .eventSocket }
        guard members[1] == nil else {
            guard let error = try? EventDecoder.decode(ErrorReply.self, from: Array(line)) else {
                throw .malformed("an error reply has an unexpected form")
            }
            self = .error(error)
            return
        }
        func text(_ range: Range<Int>) -> ArraySlice<UInt8> {
            line[line.startIndex + range.lowerBound..<line.startIndex + range.upperBound]
        }
        guard let dropped = members[3].map({ Self.count(text($0)) }) ?? 0 else {
            throw .malformed("the number of dropped events is not a whole number of 64 bits")
        }
        self = .parameters(members[0].map(text) ?? Array("{}".utf8)[...], dropped: dropped)
    }

    /// Returns a number of digits alone; `nil` for any other JSON value.
    private static func count(_ text: ArraySlice<UInt8>) -> UInt64? {
        guard text.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }) else { return nil }
        return UInt64(String(decoding: text, as: UTF8.self))
    }
}

/// An error reply of the agent, with the parameters that the client uses.
struct ErrorReply: Decodable, Sendable, Hashable {
    /// The parameters, which depend on the code.
    struct Parameters: Decodable, Sendable, Hashable {
        var message: String?
        /// `stream_changed`: the stream to which the agent's numbers belong.
        var stream: String?
        /// `sequence_unknown`: the newest number.
        var newestSequence: UInt64?
        /// `too_many_connections`: the maximum number of connections.
        var limit: UInt64?
        /// `events_expired`: the oldest number that is still available.
        var oldestSequence: UInt64?
        /// `agent_stopping`: the number of the last event that was sent or left out by the filter.
        var lastSequence: UInt64?
        /// `subscriber_lagged`: the same number, in the event that the parameters are.
        var data: SubscriberLagged?

        enum CodingKeys: String, CodingKey {
            case message, stream, limit, data
            case newestSequence = "newest_seq"
            case oldestSequence = "oldest_seq"
            case lastSequence = "last_seq"
        }
    }

    var error: String
    var parameters: Parameters?

    /// The number through which a subscription that has ended is complete, if the agent reports it.
    var lastSequence: UInt64? { parameters?.lastSequence ?? parameters?.data?.lastSequence }

    /// The error to throw for this reply.
    var clientError: StateClientError {
        let limit = parameters?.limit.map { "the agent has reached its connection limit (\($0))" }
        return .refused(code: error, message: parameters?.message ?? limit ?? "")
    }
}
