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
    /// `true` if the message has the pseudo record of EDNS.
    package var isExtended: Bool
    /// The response code, including the upper bits from EDNS.
    package var responseCode: DNSResponseCode
}

extension DNSMessage {
    /// Returns the bytes of a recursive query for one name.
    ///
    /// - Parameter isExtended: `true` to accept answers of 1232 bytes, by EDNS (RFC 6891).
    package static func query(id: UInt16, _ question: Question, isExtended: Bool = true) -> [UInt8] {
        let additional =
            isExtended
            ? [0] + bigEndian(DNSRecordType.opt.rawValue) + bigEndian(largestDatagram) + [0, 0, 0, 0, 0, 0] : []
        return bigEndian(id) + [0x01, 0x00, 0, 1, 0, 0, 0, 0, 0, isExtended ? 1 : 0]
            + question.name.wireBytes + bigEndian(question.type.rawValue) + bigEndian(question.recordClass)
            + additional
    }

    /// The size that passes every network without fragmentation, by the convention of DNS Flag Day 2020.
    private static let largestDatagram: UInt16 = 1232

    static func bigEndian(_ value: UInt16) -> [UInt8] {
        [UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)]
    }
}

/// The response code of a name server (RFC 1035, section 4.1.1, RFC 6895, section 2.3).
package struct DNSResponseCode: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    package static let noError = DNSResponseCode(rawValue: 0)
    package static let formatError = DNSResponseCode(rawValue: 1)
    package static let noSuchName = DNSResponseCode(rawValue: 3)
    package static let notImplemented = DNSResponseCode(rawValue: 4)

    private static let names: [UInt16: String] = [
        0: "NOERROR", 1: "FORMERR", 2: "SERVFAIL", 3: "NXDOMAIN", 4: "NOTIMP", 5: "REFUSED", 6: "YXDOMAIN",
        7: "YXRRSET", 8: "NXRRSET", 9: "NOTAUTH", 10: "NOTZONE", 16: "BADVERS", 23: "BADCOOKIE",
    ]

    package var description: String { Self.names[rawValue] ?? "RCODE\(rawValue)" }
}

extension DNSMessage {
    /// Decodes a message; bytes after its last record are ignored.
    package static func decode(_ bytes: [UInt8]) throws(DNSDecodingError) -> DNSMessage {
        var reader = DNSReader(bytes)
        let beginning = try Beginning(&reader, length: bytes.count)
        let answers = try records(beginning.counts.answers, &reader)
        let authorities = try records(beginning.counts.authorities, &reader)
        let additionals = try records(beginning.counts.additionals, &reader)
        // The upper eight bits of the response code are in the pseudo record's TTL.
        let options = additionals.first { $0.type == .opt }
        let upper = options.map { UInt16(truncatingIfNeeded: $0.timeToLive >> 24) } ?? 0
        return DNSMessage(
            header: beginning.header,
            questions: beginning.questions,
            answers: answers,
            authorities: authorities,
            additionals: additionals.filter { $0.type != .opt },
            isExtended: options != nil,
            responseCode: DNSResponseCode(rawValue: upper << 4 | beginning.header.flags & 0xf)
        )
    }

    /// The part of a message that identifies its query.
    struct Beginning {
        let header: Header
        let questions: [Question]
        let counts: (answers: Int, authorities: Int, additionals: Int)

        init(_ bytes: [UInt8]) throws(DNSDecodingError) {
            var reader = DNSReader(bytes)
            try self.init(&reader, length: bytes.count)
        }

        init(_ reader: inout DNSReader, length: Int) throws(DNSDecodingError) {
            guard length <= 0xffff else { throw DNSDecodingError(.tooLong, at: 0xffff) }
            header = Header(id: try reader.word(), flags: try reader.word())
            let questionCount = try reader.word()
            counts = (Int(try reader.word()), Int(try reader.word()), Int(try reader.word()))
            var questions: [Question] = []
            for _ in 0..<questionCount {
                let name = try reader.name()
                let type = DNSRecordType(rawValue: try reader.word())
                questions.append(Question(name: name, type: type, recordClass: try reader.word()))
            }
            self.questions = questions
        }
    }

    private static func records(_ count: Int, _ reader: inout DNSReader) throws(DNSDecodingError) -> [DNSRecord] {
        var records: [DNSRecord] = []
        for _ in 0..<count {
            let name = try reader.name()
            let type = DNSRecordType(rawValue: try reader.word())
            let recordClass = try reader.word()
            let timeToLive = try reader.doubleWord()
            let length = Int(try reader.word())
            var part = try reader.part(length)
            let data = try DNSRecordData(type, recordClass: recordClass, &part)
            guard part.isAtEnd else { throw DNSDecodingError(.recordLength, at: part.offset) }
            records.append(
                DNSRecord(name: name, type: type, recordClass: recordClass, timeToLive: timeToLive, data: data)
            )
        }
        return records
    }
}

extension DNSRecordData {
    /// Decodes the data of one record, to which the reader is limited.
    fileprivate init(
        _ type: DNSRecordType,
        recordClass: UInt16,
        _ reader: inout DNSReader
    ) throws(DNSDecodingError) {
        // The formats below are those of the Internet class; other classes may define their own.
        guard recordClass == 1 else {
            self = .other(reader.rest())
            return
        }
        switch type {
        case .a: self = .address(try reader.bytes(4))
        case .aaaa: self = .address(try reader.bytes(16))
        case .cname, .ns, .ptr: self = .name(try reader.name())
        case .mx:
            let preference = try reader.word()
            self = .mailExchange(preference: preference, exchange: try reader.name())
        case .txt:
            var strings: [[UInt8]] = []
            repeat { strings.append(try reader.bytes(Int(try reader.byte()))) } while !reader.isAtEnd
            self = .text(strings)
        case .soa:
            let server = try reader.name()
            let mailbox = try reader.name()
            var numbers: [UInt32] = []
            for _ in 0..<5 { numbers.append(try reader.doubleWord()) }
            self = .authority(server: server, mailbox: mailbox, numbers: numbers)
        case .srv:
            let priority = try reader.word()
            let weight = try reader.word()
            let port = try reader.word()
            self = .service(priority: priority, weight: weight, port: port, target: try reader.name())
        case .caa:
            let flags = try reader.byte()
            let tag = try reader.bytes(Int(try reader.byte()))
            self = .authorization(flags: flags, tag: tag, value: reader.rest())
        case .https, .svcb:
            let priority = try reader.word()
            let target = try reader.name()
            self = .binding(priority: priority, target: target, parameters: reader.rest())
        default: self = .other(reader.rest())
        }
    }
}

/// The reason bytes are not a valid DNS message.
package struct DNSDecodingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of errors.
    package enum Reason: String, Sendable, Hashable {
        /// A field exceeds the message or its record.
        case truncated = "the message ends too early"
        /// A label begins with bits that RFC 1035 does not define.
        case labelKind = "a label has an unknown kind"
        /// A compression pointer does not point backwards.
        case pointer = "a compression pointer does not point backwards"
        /// A name has more than 255 bytes or follows too many pointers.
        case nameTooLong = "a name is too long"
        /// The names have more labels and pointers in total than the message has bytes.
        case tooManyLabels = "the names have too many labels"
        /// The length of a record's data does not match its type.
        case recordLength = "a record's data has the wrong length"
        /// The message is longer than its length field can express.
        case tooLong = "the message has more than 65535 bytes"
    }

    /// The kind of error.
    package let reason: Reason
    /// The offset of the error in the message.
    package let offset: Int

    package init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }

    package var description: String { "\(reason.rawValue) (at byte \(offset))" }
}
