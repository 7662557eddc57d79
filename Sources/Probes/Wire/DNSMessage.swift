/// A DNS message (RFC 1035, section 4).
package struct DNSMessage: Sendable, Hashable {
    /// The first twelve bytes, without the counts.
    package struct Header: Sendable, Hashable {
        /// The id that matches an answer to its query.
        package var id: UInt16
        /// The second word: the flags and the lower part of the response code.
        package var flags: UInt16

        package var isResponse: Bool { flags & 0x8000 != 0 }
        package var operation: UInt16 { flags >> 11 & 0xf }
        package var isAuthoritative: Bool { flags & 0x0400 != 0 }
        package var isTruncated: Bool { flags & 0x0200 != 0 }
        package var isRecursionAvailable: Bool { flags & 0x0080 != 0 }
        /// `true` if the server has verified the answer by DNSSEC (RFC 4035, section 3.2.3).
        package var isAuthenticated: Bool { flags & 0x0020 != 0 }
    }

    /// The question of a query.
    package struct Question: Sendable, Hashable, CustomStringConvertible {
        package var name: DNSName
        package var type: DNSRecordType
        /// The class; 1 is the Internet.
        package var recordClass: UInt16

        package init(name: DNSName, type: DNSRecordType, recordClass: UInt16 = 1) {
            self.name = name
            self.type = type
            self.recordClass = recordClass
        }

        package var description: String { "\(name) \(type)" }
    }

    package var header: Header
    package var questions: [Question]
    package var answers: [DNSRecord]
    package var authorities: [DNSRecord]
    /// The additional records, without the pseudo record of EDNS.
    package var additionals: [DNSRecord]
    /// The response code, including the upper bits from EDNS.
    package var responseCode: DNSResponseCode
}

/// One resource record.
package struct DNSRecord: Sendable, Hashable, CustomStringConvertible {
    package var name: DNSName
    package var type: DNSRecordType
    package var recordClass: UInt16
    /// The time to live, in seconds.
    package var timeToLive: UInt32
    package var data: DNSRecordData

    /// The record in zone file format.
    package var description: String {
        let recordClass = recordClass == 1 ? "IN" : "CLASS\(recordClass)"
        return "\(name) \(timeToLive) \(recordClass) \(type) \(data)"
    }
}

extension DNSMessage {
    /// Returns the bytes of a recursive query for one name that accepts answers of 1232 bytes (RFC 6891).
    package static func query(id: UInt16, _ question: Question) -> [UInt8] {
        bigEndian(id) + [0x01, 0x00, 0, 1, 0, 0, 0, 0, 0, 1]
            + question.name.wireBytes + bigEndian(question.type.rawValue) + bigEndian(question.recordClass)
            + [0] + bigEndian(DNSRecordType.opt.rawValue) + bigEndian(largestDatagram) + [0, 0, 0, 0, 0, 0]
    }

    /// The size that passes every network without fragmentation, by the convention of DNS Flag Day 2020.
    static let largestDatagram: UInt16 = 1232

    static func bigEndian(_ value: UInt16) -> [UInt8] {
        [UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)]
    }
}
