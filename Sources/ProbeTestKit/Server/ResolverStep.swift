internal import Probes

/// The reaction of a ``ScriptedResolver`` to one query.
public indirect enum ResolverStep: Sendable {
    /// Answers with records, a response code and additional flags: 0x0400 is aa, 0x0020 is ad.
    case answer([ResolverRecord], code: UInt8 = 0, flags: UInt16 = 0)
    /// Answers that the message was truncated (TC), without records; over TCP too.
    case truncated
    /// Sends something other than the answer, and then runs another step.
    case forged(Forgery, then: ResolverStep)
    /// Sends bytes computed from the query's bytes.
    case bytes(@Sendable (_ query: [UInt8]) -> [UInt8])
    /// Does not answer.
    case silence
    /// Closes the connection if the query came over TCP, else does not answer.
    case close

    /// A datagram that a resolver must not accept as the answer.
    public enum Forgery: Sendable, Hashable, CaseIterable {
        /// An answer with another id.
        case id
        /// An answer to another question.
        case question
        /// The query itself, which is not a response.
        case echo
        /// Three bytes.
        case garbage
    }
}

/// A resource record in a ``ScriptedResolver``'s answer.
public struct ResolverRecord: Sendable, Hashable {
    /// The name of the record; nil for the question's.
    public var name: String?
    /// The number of the record's type.
    public var type: UInt16
    /// The time to live, in seconds.
    public var timeToLive: UInt32
    /// The record's data, encoded.
    public var data: [UInt8]

    /// Creates a record.
    public init(name: String? = nil, type: UInt16, timeToLive: UInt32 = 300, data: [UInt8]) {
        self.name = name
        self.type = type
        self.timeToLive = timeToLive
        self.data = data
    }

    /// Returns an A or AAAA record; an invalid address gives one without data.
    public static func address(_ text: String, name: String? = nil) -> ResolverRecord {
        let bytes = IPAddressText.bytes(of: text) ?? []
        let type: DNSRecordType = bytes.count == 16 ? .aaaa : .a
        return ResolverRecord(name: name, type: type.rawValue, data: bytes)
    }

    /// Returns a CNAME record.
    public static func alias(_ target: String, name: String? = nil) -> ResolverRecord {
        ResolverRecord(name: name, type: DNSRecordType.cname.rawValue, data: Self.bytes(ofName: target))
    }

    /// Returns a name in wire format; an invalid one becomes the root.
    static func bytes(ofName text: String) -> [UInt8] { (try? DNSName(parsing: text))?.wireBytes ?? [0] }
}

/// A query as a ``ScriptedResolver`` received it.
public struct RecordedQuery: Sendable, Hashable {
    /// `true` if it came over TCP.
    public let isByTCP: Bool
    /// The name in zone file format; empty when the query cannot be decoded.
    public let name: String
    /// The number of the type.
    public let type: UInt16
    /// The query's bytes.
    public let bytes: [UInt8]
}
