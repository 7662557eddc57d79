internal import AgentEvents

/// One line of the agent's: the parameters of a reply, or an error.
enum Reply {
    /// The JSON text of the parameters; `{}` where there are none.
    case parameters(ArraySlice<UInt8>)
    /// The request was refused, or the subscription ended.
    case error(ErrorReply)

    /// Reads a line without decoding its parameters, of which a stream has one for each event.
    ///
    /// - Throws: ``ClientError/malformed(_:)`` when the line is not one JSON object, or its `error` not a string.
    init(_ line: ArraySlice<UInt8>) throws(ClientError) {
        guard let members = JSONText.values(of: ["parameters", "error"], in: line.span) else {
            throw .malformed("a reply is not one JSON object")
        }
        guard members[1] == nil else {
            guard let error = try? EventDecoder.decode(ErrorReply.self, from: Array(line)) else {
                throw .malformed("an error reply has another form")
            }
            self = .error(error)
            return
        }
        guard let parameters = members[0] else {
            self = .parameters(Array("{}".utf8)[...])
            return
        }
        self = .parameters(line[line.startIndex + parameters.lowerBound..<line.startIndex + parameters.upperBound])
    }
}

/// An error of the agent's, with those of its parameters that the client uses.
struct ErrorReply: Decodable, Sendable, Hashable {
    /// The parameters; which of them there are depends on the code.
    struct Parameters: Decodable, Sendable, Hashable {
        var message: String?
        /// `stream_changed`: the stream that the agent's numbers belong to.
        var stream: String?
        /// `sequence_unknown`: the newest number.
        var newestSequence: UInt64?
        /// `too_many_connections`: the maximum of connections.
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

    /// The same as an error to throw.
    var clientError: ClientError {
        let limit = parameters?.limit.map { "the agent has as many connections as it may have (\($0))" }
        return .refused(code: error, message: parameters?.message ?? limit ?? "")
    }
}
