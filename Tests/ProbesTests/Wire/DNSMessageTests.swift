import AgentTestKit
import Probes
import Testing

@Suite
struct DNSMessageTests {
    @Test
    func `an answer with an alias, compression and EDNS is decoded field by field`() throws {
        let message = try DNSMessage.decode(DNSPackets.aliased)
        #expect(message.header.id == 0x1234)
        #expect(message.header.isResponse)
        #expect(message.header.isAuthoritative)
        #expect(message.header.isRecursionAvailable)
        #expect(!message.header.isTruncated)
        #expect(!message.header.isAuthenticated)
        #expect(message.questions.map(\.description) == ["www.example.test. A"])
        #expect(
            message.answers.map(\.description) == [
                "www.example.test. 60 IN CNAME web:.example.test.",
                "web:.example.test. 3600 IN A 192.0.2.7",
            ]
        )
        #expect(message.additionals.isEmpty)
        #expect(message.responseCode.description == "BADVERS", "16, of which EDNS has the upper bits")
    }

    @Test(
        arguments: [
            (1, "c0000201", "A 192.0.2.1"),
            (28, "20010db8000000000000000000000001", "AAAA 2001:db8::1"),
            (2, "02 6e73 00", "NS ns."),
            (5, "02 2e5c 00", #"CNAME \.\\."#),
            (12, "00", "PTR ."),
            (15, "000a 01 6d 00", "MX 10 m."),
            (16, "02 6120 00 05 225c7fc309", #"TXT "a " "" "\"\\\127\195\009""#),
            (6, "01 73 00 01 68 00 00000001 00000002 00000003 00000004 ffffffff", "SOA s. h. 1 2 3 4 4294967295"),
            (33, "0001 0002 01bb 01 74 00", "SRV 1 2 443 t."),
            (257, "80 05 6973737565 63612e74657374", #"CAA 128 issue "ca.test""#),
            (65, "0001 00 0001 0003 026832", ##"HTTPS 1 . \# 7 00010003026832"##),
            (64, "0000 01 61 00", "SVCB 0 a."),
            (65280, "", ##"TYPE65280 \# 0"##),
            (99, "0af0", ##"TYPE99 \# 2 0af0"##),
        ] as [(UInt16, String, String)]
    )
    func `a record is shown in the form of zone files`(type: UInt16, data: String, expected: String) throws {
        let message = try DNSMessage.decode(DNSPackets.record(type: type, data: packet(data)))
        #expect(message.answers.map(\.description) == [". 7 IN " + expected])
    }

    @Test(
        arguments: [
            (1, "c00002", .truncated), (1, "c000020105", .recordLength),
            (28, "20010db80000000000000000000000", .truncated),
            (5, "", .truncated), (5, "00 00", .recordLength), (5, "c0", .truncated), (5, "80 00", .labelKind),
            (5, "40 00", .labelKind), (5, "05 61626364", .truncated),
            (15, "00", .truncated), (15, "0001", .truncated),
            (16, "", .truncated), (16, "05 61", .truncated),
            (6, "00 00 00000001 00000002 00000003 00000004 ffffff", .truncated),
            (33, "0001 0002 01", .truncated),
            (257, "", .truncated), (257, "00 05 61", .truncated),
            (65, "0001", .truncated),
        ] as [(UInt16, String, DNSDecodingError.Reason)]
    )
    func `data of the wrong length is an error`(type: UInt16, data: String, expected: DNSDecodingError.Reason) {
        let error = #expect(throws: DNSDecodingError.self) {
            try DNSMessage.decode(DNSPackets.record(type: type, data: packet(data)))
        }
        #expect(error?.reason == expected)
    }

    @Test(
        arguments: [
            ("to itself", "c00c", .pointer),
            ("to the label before it", "01 61 c00c", .pointer),
            ("forwards", "c010", .pointer),
            ("to the end", "c0ff", .pointer),
            ("into the middle of its own label", "02 6161 c00d", .pointer),
            ("to the header, whose second byte is no label's length", "c002", .labelKind),
        ] as [(String, String, DNSDecodingError.Reason)]
    )
    func `a pointer that does not point back to a name is an error`(
        place: String,
        name: String,
        expected: DNSDecodingError.Reason
    ) {
        let error = #expect(throws: DNSDecodingError.self) {
            try DNSMessage.decode(DNSPackets.question(name: packet(name)))
        }
        #expect(error?.reason == expected)
    }

    @Test
    func `a name may have 255 bytes and no more, by pointers too`() throws {
        let label = [63] + [UInt8](repeating: 0x61, count: 63)
        let longest = label + label + label + [61] + [UInt8](repeating: 0x62, count: 61) + [0]
        let message = try DNSMessage.decode(DNSPackets.question(name: longest))
        #expect(message.questions.first?.name.labels.map(\.count) == [63, 63, 63, 61])
        let tooLong = label + label + label + [62] + [UInt8](repeating: 0x62, count: 62) + [0]
        let error = #expect(throws: DNSDecodingError.self) {
            try DNSMessage.decode(DNSPackets.question(name: tooLong))
        }
        #expect(error?.reason == .nameTooLong)
        // A second question of one label and a pointer to the first one's name, which is as long as names may be.
        let second = packet("0001 8000 0002 0000 0000 0000") + longest + packet("0001 0001 01 63 c00c 0001 0001")
        let other = #expect(throws: DNSDecodingError.self) { try DNSMessage.decode(second) }
        #expect(other?.reason == .nameTooLong)
    }

    @Test
    func `a long chain of pointers is given up`() throws {
        // In the data of a record that nobody decodes: a root's name, then pointers each of which leads to the one before.
        let start = 12 + 11
        var data: [UInt8] = [0, 0]
        for index in 0..<200 {
            let target = index == 0 ? start : start + index * 2
            data += [0xc0 | UInt8(target >> 8), UInt8(target & 0xff)]
        }
        func decode(pointers: Int) throws -> DNSMessage {
            let target = start + pointers * 2
            var bytes = DNSPackets.record(type: 99, data: data)
            bytes[9] = 1
            return try DNSMessage.decode(
                bytes + [0xc0 | UInt8(target >> 8), UInt8(target & 0xff)] + packet("0001 0001 00000000 0004 7f000001")
            )
        }
        #expect(try decode(pointers: 126).authorities.map(\.description) == [". 0 IN A 127.0.0.1"])
        let error = #expect(throws: DNSDecodingError.self) { try decode(pointers: 127) }
        #expect(error?.reason == .nameTooLong)
    }

    @Test
    func `a message truncated at any byte is an error`() {
        for length in DNSPackets.aliased.indices {
            #expect(throws: DNSDecodingError.self, "\(length) bytes") {
                try DNSMessage.decode(Array(DNSPackets.aliased.prefix(length)))
            }
        }
    }

    @Test
    func `no change of a byte or two traps the decoder, and its output can be shown`() {
        var generator = SplitMix(state: 1)
        var decoded = 0
        for position in DNSPackets.aliased.indices {
            for value in UInt8.min ... .max {
                var bytes = DNSPackets.aliased
                bytes[position] = value
                decoded += show(bytes)
                let other = Int.random(in: bytes.indices, using: &generator)
                bytes[other] = .random(in: .min ... .max, using: &generator)
                decoded += show(bytes)
            }
        }
        #expect(decoded > 1000, "many changes leave a message")
    }

    private func show(_ bytes: [UInt8]) -> Int {
        guard let message = try? DNSMessage.decode(bytes) else { return 0 }
        let records = message.answers + message.authorities + message.additionals
        return records.allSatisfy { !$0.description.isEmpty } ? 1 : 0
    }

    @Test
    func `a query is read back by the decoder`() throws {
        let question = DNSMessage.Question(name: try DNSName(parsing: "Host.test"), type: .https)
        let bytes = DNSMessage.query(id: 0xbeef, question)
        #expect(
            bytes
                == packet(
                    """
                    beef 0100 0001 0000 0000 0001   ; rd
                    04 486f7374 04 74657374 00 0041 0001
                    00 0029 04d0 00000000 0000      ; OPT, 1232 bytes
                    """
                )
        )
        #expect(try DNSMessage.decode(bytes).questions == [question])
    }
}
