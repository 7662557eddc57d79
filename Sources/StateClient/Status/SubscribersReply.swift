internal import AgentEvents

/// Who is connected to the agent: the answer to `subscribers`.
///
/// An agent of another version may say more, which is ignored, and less, which is `nil` or empty. Texts are as the agent
/// sent them: escape what a terminal shows. docs/protocol.md describes the members.
public struct SubscribersReply: Decodable, Sendable, Hashable {
    /// The connections, with the one that asked.
    public let subscribers: [Subscriber]
    /// The most connections that there may be.
    public let limit: Int?

    private enum CodingKeys: String, CodingKey { case subscribers, limit }

    /// Reads who is connected; only what is no object is an error.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        subscribers = members.list(.subscribers)
        limit = members.value(.limit)
    }

    /// Reads the parameters of the agent's reply: the text of one JSON object.
    ///
    /// - Throws: ``ClientError/malformed(_:)`` when they are anything else.
    public init(parameters: [UInt8]) throws(ClientError) {
        do {
            self = try EventDecoder.decode(SubscribersReply.self, from: parameters)
        } catch {
            throw .malformed("the list of subscribers is no JSON object")
        }
    }
}
