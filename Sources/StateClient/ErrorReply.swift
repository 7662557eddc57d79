internal import FoundationEssentials

/// A reply that says that something was refused, as far as this library looks at it.
struct ErrorReply: Decodable, Sendable, Hashable {
    /// What may stand in its parameters.
    struct Parameters: Decodable, Sendable, Hashable {
        var message: String?
        /// `stream_changed`: the stream that the agent's numbers belong to.
        var stream: String?
        /// `sequence_unknown`: the newest number.
        var newestSequence: UInt64?
        /// `events_expired`: the oldest number that is still there.
        var oldestSequence: UInt64?

        enum CodingKeys: String, CodingKey {
            case message, stream
            case newestSequence = "newest_seq"
            case oldestSequence = "oldest_seq"
        }
    }

    var error: String
    var parameters: Parameters?

    /// Reads a reply that has an `error`.
    init(decoding line: ArraySlice<UInt8>) throws(ClientError) {
        do {
            self = try JSONDecoder().decode(ErrorReply.self, from: Data(line))
        } catch {
            throw .malformed("an error's reply is of another form")
        }
    }

    /// The same as an error to throw.
    var clientError: ClientError { .refused(code: error, message: parameters?.message ?? "") }
}
