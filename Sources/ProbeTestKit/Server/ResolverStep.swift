internal import Probes

/// The reaction of a ``ScriptedResolver`` to one query.
public indirect enum ResolverStep: Sendable {
    /// Answers with records, a response code and additional flags: 0x0400 is aa, 0x0020 is ad.
    case answer([ResolverRecord], code: UInt8 = 0, flags: UInt16 = 0)
    /// Answers that the message was truncated (TC), without records; over TCP too.
    case truncated
    /// Sends something other than the answer, and then runs another step.
    case forged(Forgery, then: ResolverStep)
    /// Answers a query with EDNS with an error code and without EDNS; runs another step for one without.
    case notExtended(code: UInt8 = 1, then: ResolverStep)
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
    /// The class; 1 is the Internet.
    public var recordClass: UInt16 = 1
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

/// Encodes the answers to a query.
enum ResolverAnswers {
    /// Returns the messages for one query, in order; nil to close the connection.
    static func messages(for step: ResolverStep, query: [UInt8]) -> [[UInt8]]? {
        switch step {
        case .answer(let records, let code, let flags):
            [answer(query, flags: 0x8180 | flags | UInt16(code & 0xf), records: records)]
        case .truncated: [answer(query, flags: 0x8380, records: [])]
        case .forged(let forgery, let next):
            messages(for: next, query: query).map { [forged(forgery, query)] + $0 }
        case .notExtended(let code, let next):
            (try? DNSMessage.decode(query))?.isExtended == true
                ? messages(for: .answer([], code: code), query: query) : messages(for: next, query: query)
        case .bytes(let make): [make(query)]
        case .silence: []
        case .close: nil
        }
    }

    private static func forged(_ forgery: ResolverStep.Forgery, _ query: [UInt8]) -> [UInt8] {
        let lie = ResolverRecord.address("203.0.113.66")
        switch forgery {
        case .id:
            let answer = answer(query, flags: 0x8180, records: [lie])
            return answer.prefix(1) + [answer.count > 1 ? answer[1] ^ 1 : 0] + answer.dropFirst(2)
        case .question:
            let other = query.prefix(12) + ResolverRecord.bytes(ofName: "other.test") + [0, 1, 0, 1]
            return answer(Array(other), flags: 0x8180, records: [lie])
        case .echo: return query
        case .garbage: return [1, 2, 3]
        }
    }

    private static func answer(_ query: [UInt8], flags: UInt16, records: [ResolverRecord]) -> [UInt8] {
        let question = question(of: query)
        let head = query.prefix(2) + words([flags, question.isEmpty ? 0 : 1, UInt16(clamping: records.count), 0, 0])
        return records.reduce(into: Array(head) + question) { bytes, record in
            // The question's name follows the header.
            bytes += record.name.map(ResolverRecord.bytes(ofName:)) ?? [0xc0, 12]
            let time = record.timeToLive
            let numbers = [
                record.type, record.recordClass, UInt16(truncatingIfNeeded: time >> 16),
                UInt16(truncatingIfNeeded: time), UInt16(clamping: record.data.count),
            ]
            bytes += words(numbers) + record.data
        }
    }

    /// Returns the bytes of the query's question, or nothing when it has none.
    private static func question(of query: [UInt8]) -> [UInt8] {
        guard let question = try? DNSMessage.decode(query).questions.first else { return [] }
        return question.name.wireBytes + words([question.type.rawValue, question.recordClass])
    }

    static func words(_ values: [UInt16]) -> [UInt8] {
        values.flatMap { [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)] }
    }
}
