internal import Probes

/// What a ``ScriptedResolver`` does with one query.
public indirect enum ResolverStep: Sendable {
    /// Answers with records, a response code and additional flags: 0x0400 is aa, 0x0020 is ad.
    case answer([ResolverRecord], code: UInt8 = 0, flags: UInt16 = 0)
    /// Answers that the message did not fit (TC), with no record; by TCP too.
    case truncated
    /// Sends something that is not the answer, and then does another step.
    case forged(Forgery, then: ResolverStep)
    /// Sends these bytes for the query's bytes.
    case bytes(@Sendable (_ query: [UInt8]) -> [UInt8])
    /// Does not answer.
    case silence
    /// Closes the connection if the query came by TCP, else does not answer.
    case close

    /// A datagram that a resolver must not take for the answer.
    public enum Forgery: Sendable, Hashable, CaseIterable {
        /// An answer with another id.
        case id
        /// An answer to another question.
        case question
        /// The query itself, which is no response.
        case echo
        /// Three bytes.
        case garbage
    }
}

/// A resource record in a ``ScriptedResolver``'s answer.
public struct ResolverRecord: Sendable, Hashable {
    /// The name that has the record; nil for the question's.
    public var name: String?
    /// The record's type as a number.
    public var type: UInt16
    /// How long the record may be kept, in seconds.
    public var timeToLive: UInt32
    /// The record's data as it is sent.
    public var data: [UInt8]

    /// Creates a record.
    public init(name: String? = nil, type: UInt16, timeToLive: UInt32 = 300, data: [UInt8]) {
        self.name = name
        self.type = type
        self.timeToLive = timeToLive
        self.data = data
    }

    /// An A or AAAA record; text that is not an address makes one without data.
    public static func address(_ text: String, name: String? = nil) -> ResolverRecord {
        let bytes = IPAddressText.bytes(of: text) ?? []
        let type: DNSRecordType = bytes.count == 16 ? .aaaa : .a
        return ResolverRecord(name: name, type: type.rawValue, data: bytes)
    }

    /// A CNAME record.
    public static func alias(_ target: String, name: String? = nil) -> ResolverRecord {
        ResolverRecord(name: name, type: DNSRecordType.cname.rawValue, data: Self.bytes(ofName: target))
    }

    /// A name in the form of a message; text that is not a name becomes the root.
    static func bytes(ofName text: String) -> [UInt8] { (try? DNSName(parsing: text))?.wireBytes ?? [0] }
}

/// A query as a ``ScriptedResolver`` received it.
public struct RecordedQuery: Sendable, Hashable {
    /// Whether it came by TCP.
    public let isByTCP: Bool
    /// The name in the form of zone files; empty when the query cannot be decoded.
    public let name: String
    /// The type as a number.
    public let type: UInt16
    /// The query's bytes.
    public let bytes: [UInt8]
}
