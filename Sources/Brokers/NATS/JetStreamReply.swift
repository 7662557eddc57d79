internal import AgentEvents
internal import Sinks

internal import struct FoundationEssentials.Data

/// The replies of the JetStream API, parsed strictly.
enum JetStreamReply {
    /// An error in a reply: <https://github.com/nats-io/nats-server/blob/main/server/errors.json>.
    struct Failure: Error, Hashable {
        /// JetStream's number of the error; 0 if the server sends none.
        var number: Int
        /// The server's text, as it is.
        var text: String

        /// True if the same request succeeds a little later.
        ///
        /// A cluster elects a leader (10008, 10009), or still handles the same id (10158) or subject (10163) of a former
        /// connection, or the server takes no more messages at the moment (10167).
        var isTemporary: Bool { [10_008, 10_009, 10_158, 10_163, 10_167].contains(number) }
    }

    /// The reply to an event.
    enum Acknowledgement: Hashable {
        /// Stored in a stream under a number.
        case stored(stream: String, sequence: UInt64)
        /// Stored earlier, with the same id.
        case duplicate(stream: String)
        /// Not stored.
        case failed(Failure)
    }

    /// A stored message.
    struct Stored: Hashable {
        /// The subject.
        var subject: String
        /// The number in the stream.
        var sequence: UInt64
        /// The position in the device's history.
        var position: StoredPosition
    }

    /// The reason that a reply cannot be used.
    struct Flaw: Error, Hashable {
        /// The end of a sentence.
        var text: String
        /// The subject of a message that is not the device's, in a reply that is valid.
        var foreignSubject: String?

        /// The reply is not JSON, or lacks required members.
        static let unreadable = Flaw(text: "has sent an answer that cannot be read")
    }

    /// The maximum number of values in a reply, most of which are stream names.
    private static let maximumValues = 4096

    /// Parses the reply to an event; `nil` if it is none.
    static func acknowledgement(_ payload: [UInt8]) -> Acknowledgement? {
        guard let root = try? root(of: payload) else { return nil }
        if let failure = failure(in: root) { return .failed(failure) }
        guard let stream = root.member("stream")?.string,
            let sequence = root.member("seq")?.integer(UInt64.self), sequence > 0
        else { return nil }
        return root.member("duplicate")?.boolean == true
            ? .duplicate(stream: stream) : .stored(stream: stream, sequence: sequence)
    }

    /// Parses the names of streams (`$JS.API.STREAM.NAMES`).
    static func streamNames(_ payload: [UInt8]) throws -> [String] {
        let root = try root(of: payload)
        if let failure = failure(in: root) { throw failure }
        return root.member("streams")?.elements.compactMap(\.string) ?? []
    }

    /// Parses a stored message (`$JS.API.STREAM.MSG.GET`); `nil` if there is none.
    static func stored(_ payload: [UInt8], device: String) throws -> Stored? {
        let root = try root(of: payload)
        if let failure = failure(in: root) {
            guard failure.number == noMessageFound else { throw failure }
            return nil
        }
        guard let message = root.member("message"), let subject = message.member("subject")?.string,
            subject.utf8.count <= NATSMessage.maximumFieldBytes,
            let sequence = message.member("seq")?.integer(UInt64.self), sequence > 0,
            let headers = base64(message.member("hdrs")), let event = base64(message.member("data"))
        else { throw Flaw.unreadable }
        return Stored(
            subject: subject,
            sequence: sequence,
            position: try position(identifier(in: headers), device, event, subject)
        )
    }

    /// Parses a stored message as sent by `$JS.API.DIRECT.GET`; `nil` if there is none.
    static func stored(_ message: NATSMessage, device: String) throws -> Stored? {
        if let status = message.fields[.status] {
            guard status == "404" else {
                throw Failure(number: 0, text: "status \(status)")
            }
            return nil
        }
        guard let subject = message.fields[.subject], let text = message.fields[.sequence], let sequence = UInt64(text),
            sequence > 0
        else { throw Flaw.unreadable }
        return Stored(
            subject: subject,
            sequence: sequence,
            position: try position(message.fields[.identifier], device, message.payload, subject)
        )
    }

    /// No message found.
    static let noMessageFound = 10_037

    private static func root(of payload: [UInt8]) throws -> JSONNode {
        guard let root = JSONDocument(payload, maximumValues: maximumValues)?.root, root.kind == .object else {
            throw Flaw.unreadable
        }
        return root
    }

    private static func failure(in root: JSONNode) -> Failure? {
        guard let error = root.member("error"), error.kind != .null else { return nil }
        return Failure(
            number: error.member("err_code")?.integer() ?? 0,
            text: error.member("description")?.string ?? "an error without a description"
        )
    }

    /// Returns the id that a reader of the stream sees, and the time of the event.
    private static func position(
        _ identifier: String?,
        _ device: String,
        _ event: [UInt8],
        _ subject: String
    ) throws -> StoredPosition {
        guard let id = identifier.map({ NATSMessageID.id(in: $0, device: device) }),
            StreamPosition.parse(id: id) != nil, let scanned = ScannedLine(event.span),
            let time = scanned.time
        else {
            throw Flaw(
                text: "has a newest message of this device that is not an agent event",
                foreignSubject: subject
            )
        }
        return StoredPosition(id: id, time: time.description)
    }

    /// Returns the `Nats-Msg-Id` of a stored header.
    private static func identifier(in headers: [UInt8]) -> String? {
        guard headers.count <= 1 << 16 else { return nil }
        let name = Array("\(NATSMessage.Field.identifier.rawValue):".utf8)
        for line in headers.split(separator: UInt8(ascii: "\n")) where line.starts(with: name) {
            let value = line.dropFirst(name.count).drop { $0 == UInt8(ascii: " ") }
            let text = String(decoding: value.prefix { $0 > 0x20 && $0 < 0x7F }, as: UTF8.self)
            return text.utf8.count <= NATSMessage.maximumFieldBytes ? text : nil
        }
        return nil
    }

    /// Decodes Base64; an absent member is empty.
    private static func base64(_ node: JSONNode?) -> [UInt8]? {
        guard let node, node.kind != .null else { return [] }
        guard node.kind == .string else { return nil }
        return Data(base64Encoded: Data(node.text)).map { Array($0) }
    }
}
