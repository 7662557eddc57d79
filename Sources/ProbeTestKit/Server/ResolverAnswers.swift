internal import Probes

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
                record.type, 1, UInt16(truncatingIfNeeded: time >> 16), UInt16(truncatingIfNeeded: time),
                UInt16(clamping: record.data.count),
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
