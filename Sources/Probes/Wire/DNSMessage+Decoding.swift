extension DNSMessage {
    /// Decodes a message; bytes after its last record are ignored.
    package static func decode(_ bytes: [UInt8]) throws(DNSDecodingError) -> DNSMessage {
        var reader = DNSReader(bytes)
        let beginning = try Beginning(&reader, length: bytes.count)
        let answers = try records(beginning.counts.answers, &reader)
        let authorities = try records(beginning.counts.authorities, &reader)
        let additionals = try records(beginning.counts.additionals, &reader)
        // The upper eight bits of the response code are in the pseudo record's TTL.
        let upper = additionals.first { $0.type == .opt }.map { UInt16(truncatingIfNeeded: $0.timeToLive >> 24) } ?? 0
        return DNSMessage(
            header: beginning.header,
            questions: beginning.questions,
            answers: answers,
            authorities: authorities,
            additionals: additionals.filter { $0.type != .opt },
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
