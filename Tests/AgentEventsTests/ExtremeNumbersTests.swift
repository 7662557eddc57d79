import Testing

@testable import AgentEvents

/// Numbers that no agent writes, in lines that anybody may have written, have words all the same; names that are data are read
/// within limits.
@Suite struct ExtremeNumbersTests {
    private static func line(position: Int, daysLeft: Int) -> [UInt8] {
        Array(
            """
            {"specversion":"1.0","id":"x-14","source":"/reachagent/h","type":"reachagent.certificate.expiring",\
            "subject":"web","time":"2026-11-21T07:14:00.000000Z","seq":14,"data":{"probe":"web","threshold":"7d",\
            "percent_left":7,"days_left":\(daysLeft),"position":\(position),"verified":true,\
            "certificate":{"subject":"CN=web.example","issuer":"CN=CA","sha256":"a",\
            "not_before":"2026-11-21T07:00:00.000000Z","not_after":"2026-11-27T07:00:00.000000Z"},\
            "observed":"2026-11-21T07:00:00.000000Z"}}
            """.utf8
        )
    }

    @Test(arguments: [Int.min, -1, 0, 1, .max], [Int.min, -1, 0, 1, .max])
    func `a certificate at any place and with any days left has words`(position: Int, daysLeft: Int) throws {
        let event = try #require(AgentEvent(line: Self.line(position: position, daysLeft: daysLeft)))
        #expect(event.content.summary.contains("CN=web.example"))
        #expect(EventSummary(event) != nil)
    }

    /// An object with names of which each has so many bytes, at least 4.
    private static func object(names: Int, ofBytes length: Int = 4, _ value: String) -> [UInt8] {
        let members = (0..<names).map { number in
            let digits = String(number)
            return "\"\(digits)\(String(repeating: "c", count: length - digits.utf8.count))\":\(value)"
        }
        return Array("{\(members.joined(separator: ","))}".utf8)
    }

    /// Combining marks in the order in which sorting them takes the longest: 4 bytes for each number.
    private static func marks(_ number: Int) -> String { String(repeating: "\u{315}\u{300}", count: number) }

    @Test(arguments: [(1024, 4), (1024, 256), (0, 4)])
    func `as many and as long names as there can be are read`(names: Int, length: Int) throws {
        let counts = try EventDecoder.decode(
            ProbeSummary.Counts.self,
            from: Self.object(names: names, ofBytes: length, "1")
        )
        #expect(counts.total == names)
        let phases = try EventDecoder.decode(
            ProbeSummary.Phases.self,
            from: Self.object(names: names, ofBytes: length, "[0,1]")
        )
        #expect(phases.byName.count == names)
        let schedule = try EventDecoder.decode(
            AgentStatus.Schedule.self,
            from: Array(#"{"bytes":"#.utf8) + Self.object(names: names, ofBytes: length, "7") + [0x7D]
        )
        #expect(schedule.bytes?.count == names)
    }

    @Test(arguments: [(1025, 4), (1, 257)])
    func `more or longer names than there can be are not read`(names: Int, length: Int) throws {
        #expect(throws: DecodingError.self) {
            try EventDecoder.decode(
                ProbeSummary.Counts.self,
                from: Self.object(names: names, ofBytes: length, "1")
            )
        }
        #expect(throws: DecodingError.self) {
            try EventDecoder.decode(
                ProbeSummary.Phases.self,
                from: Self.object(names: names, ofBytes: length, "[]")
            )
        }
        let schedule = try EventDecoder.decode(
            AgentStatus.Schedule.self,
            from: Array(#"{"checks":5,"bytes":"#.utf8) + Self.object(names: names, ofBytes: length, "7") + [0x7D]
        )
        #expect(schedule.bytes == nil)
        #expect(schedule.checks == 5)
    }

    @Test func `a name of combining marks is no key of a dictionary`() throws {
        let object = Array("{\"a\(Self.marks(64))\":1}".utf8)
        #expect(throws: DecodingError.self) { try EventDecoder.decode(ProbeSummary.Counts.self, from: object) }
        let shorter = Array("{\"a\(Self.marks(63))\":1}".utf8)
        #expect(try EventDecoder.decode(ProbeSummary.Counts.self, from: shorter).total == 1)
    }

    @Test func `of several counts with one name the first one is read`() throws {
        let object = Array(#"{"timeout":2,"dns_failure":3,"timeout":40}"#.utf8)
        let counts = try EventDecoder.decode(ProbeSummary.Counts.self, from: object)
        #expect(counts.byCode == ["timeout": 2, "dns_failure": 3])
        #expect(
            try EventDecoder.decode(AgentStatus.Schedule.self, from: Array(#"{"bytes":"#.utf8) + object + [0x7D]).bytes
                == ["timeout": 2, "dns_failure": 3]
        )
    }

    @Test func `a total is clamped`() {
        var counts = ProbeSummary.Counts()
        for code in 0..<4 { counts.add("c\(code)", .max) }
        #expect(counts.total == 1 << 60)
    }
}
