internal import Sinks

/// A message to the server.
struct NATSRequest: Sendable, Hashable {
    /// A header line.
    struct Header: Sendable, Hashable {
        var name: String
        var value: String
    }

    /// The subject.
    var subject: String
    /// The subject of the reply.
    var reply: String
    /// The header.
    var headers: [Header] = []
    /// The payload.
    var payload: [UInt8]

    /// The bytes that the server compares with its `max_payload`: header and payload.
    var size: Int {
        let lines = headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + ": \r\n".utf8.count }
        return payload.count + (headers.isEmpty ? 0 : lines + "NATS/1.0\r\n\r\n".utf8.count)
    }
}

/// A message from the server.
struct NATSMessage: Sendable, Hashable {
    /// The header lines that are read; all others are ignored.
    enum Field: String, CaseIterable, Sendable {
        case identifier = "Nats-Msg-Id"
        case sequence = "Nats-Sequence"
        case subject = "Nats-Subject"
        /// The status of a message without a payload, such as 404.
        case status = "Status"
    }

    /// The maximum length of a header line in bytes; a longer one is ignored.
    static let maximumFieldBytes = 1 << 10
    /// The maximum size of a payload in bytes: the largest event in Base64, with a margin.
    static let maximumBytes = 8 << 20

    /// The subject.
    var subject: String
    /// The header lines.
    var fields: [Field: String] = [:]
    /// The payload.
    var payload: [UInt8]
}

/// The value of `Nats-Msg-Id`: the device, and the id of the event (``SinkMessage/id``), as `<device>.<epoch>-<seq>`.
///
/// A stream compares these values across the subjects of all devices, and copies of a disk give one id to different
/// events.
package enum NATSMessageID {
    /// Returns the value for an event of a device.
    ///
    /// - Parameter device: The device as in its subjects: one token, without a dot.
    package static func header(_ id: String, device: String) -> String { "\(device).\(id)" }

    /// Returns the id of the event, or the whole value if another program, such as an MQTT bridge, has omitted the
    /// device.
    package static func id(in header: String, device: some StringProtocol) -> String {
        guard header.utf8.count > device.utf8.count, header.utf8.starts(with: device.utf8) else { return header }
        let rest = header.utf8.dropFirst(device.utf8.count)
        return rest.first == UInt8(ascii: ".") ? String(Substring(rest.dropFirst())) : header
    }
}

/// An occurrence on a connection to a NATS server.
enum NATSInput: Sendable, Hashable {
    /// The connection is established; the server accepts messages up to this size, and has learned these secrets.
    case opened(maximumPayload: Int, secrets: BrokerSecrets = BrokerSecrets())
    /// A message has arrived.
    case message(NATSMessage)
    /// There is no responder for the subject of a sent message; the library does not report for which one.
    case unanswered
    /// The server does not permit a subject, which the text names.
    case denied(String)
    /// The connection failed or has ended.
    case closed(TransportFailure)
}
