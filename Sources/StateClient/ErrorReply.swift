internal import AgentEvents

/// A reply that says that something was refused, as far as this library looks at it.
struct ErrorReply: Decodable, Sendable, Hashable {
    /// What may stand in its parameters.
    struct Parameters: Decodable, Sendable, Hashable {
        var message: String?
        /// `stream_changed`: the stream that the agent's numbers belong to.
        var stream: String?
        /// `sequence_unknown`: the newest number.
        var newestSequence: UInt64?
        /// `too_many_connections`: how many there may be.
        var limit: UInt64?
        /// `events_expired`: the oldest number that is still there.
        var oldestSequence: UInt64?

        enum CodingKeys: String, CodingKey {
            case message, stream, limit
            case newestSequence = "newest_seq"
            case oldestSequence = "oldest_seq"
        }
    }

    var error: String
    var parameters: Parameters?

    /// A reply.
    init(error: String, parameters: Parameters? = nil) {
        self.error = error
        self.parameters = parameters
    }

    /// Reads a reply that has an `error`.
    init(decoding line: ArraySlice<UInt8>) throws(ClientError) {
        do {
            self = try EventDecoder.decode(ErrorReply.self, from: Array(line))
        } catch {
            throw .malformed("an error's reply is of another form")
        }
    }

    /// The same as an error to throw.
    var clientError: ClientError {
        let limit = parameters?.limit.map { "the agent has as many connections as it may have (\($0))" }
        return .refused(code: error, message: parameters?.message ?? limit ?? "")
    }
}
