public import EventEnvelope
internal import FoundationEssentials

extension HookEvent {
    /// Reads an event that the agent made.
    ///
    /// - Returns: nil when its line is not what the agent writes.
    public init?(_ event: Event) { self.init(line: event.line) }

    /// Reads a line of the agent's stream.
    ///
    /// Members that hooks have no use for are ignored.
    ///
    /// - Parameter line: The line, without its end.
    /// - Returns: nil when the line is no event, is longer than `ScannedLine.mostBytes`, is of a type that is not known, or
    ///   has a member of another kind than the agent's.
    public init?(line: [UInt8]) {
        guard let scanned = ScannedLine(line.span),
            let envelope = line.withUnsafeBytes({ Envelope(reading: $0) }),
            let type = EventType(rawValue: envelope.type)
        else { return nil }
        self.type = type
        self.line = line
        id = envelope.id
        sequence = scanned.sequence
        time = envelope.time
        subject = envelope.subject
        guard let data = envelope.data else { return }
        from = data.from?.side ?? Side()
        to = data.to?.side ?? Side()
        cause = data.cause.map { Cause(kind: $0.kind, code: $0.code, interface: $0.interface, detail: $0.detail) }
        family = data.family
        interface = data.interface
    }
}

/// An event's members as they stand in its line.
private struct Envelope: Decodable {
    struct Content: Decodable {
        var from: WrittenSide?
        var to: WrittenSide?
        var cause: WrittenCause?
        var family: String?
        var interface: String?
    }

    struct WrittenCause: Decodable {
        var kind: String
        var code: String
        var interface: String?
        var detail: String?
    }

    /// A code, or for an uplink an object with one.
    struct Reason: Decodable {
        var code: String?
        var portalURL: String?

        enum CodingKeys: String, CodingKey {
            case code
            case portalURL = "portal_url"
        }

        init(from decoder: any Decoder) throws {
            if let text = try? decoder.singleValueContainer().decode(String.self) {
                code = text
                return
            }
            let members = try decoder.container(keyedBy: CodingKeys.self)
            code = try members.decodeIfPresent(String.self, forKey: .code)
            portalURL = try members.decodeIfPresent(String.self, forKey: .portalURL)
        }
    }

    struct WrittenSide: Decodable {
        struct Path: Decodable {
            var interface: String?
        }

        var via: String?
        var connectivity: String?
        var reason: Reason?
        var path: Path?
        var interface: String?
        var used: Bool?
        var kind: String?
        var portalURL: String?
        var verdict: String?
        var code: String?

        enum CodingKeys: String, CodingKey {
            case via, connectivity, reason, path, interface, used, kind, verdict, code
            case portalURL = "portal_url"
        }

        var side: HookEvent.Side {
            var side = HookEvent.Side()
            side.via = via
            side.connectivity = connectivity
            side.reason = reason?.code
            side.interface = path?.interface ?? interface
            side.isUsed = used
            side.kind = kind
            side.portalURL = portalURL ?? reason?.portalURL
            side.verdict = verdict
            side.code = code
            return side
        }
    }

    var type: String
    var id: String
    var time: String
    var subject: String
    var data: Content?

    init?(reading bytes: UnsafeRawBufferPointer) {
        guard let envelope = try? JSONDecoder().decode(Self.self, from: Data(bytes)) else { return nil }
        self = envelope
    }
}
