import Testing

@testable import AgentEvents

/// Numbers that no agent writes, in lines that anybody may have written: they have words all the same.
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

    @Test func `counts of more codes than there are make no summary`() throws {
        func counts(_ codes: Int) -> [UInt8] {
            Array(("{" + (0..<codes).map { "\"c\($0)\":1" }.joined(separator: ",") + "}").utf8)
        }
        #expect(try EventDecoder.decode(ProbeSummary.Counts.self, from: counts(1024)).total == 1024)
        #expect(throws: DecodingError.self) { try EventDecoder.decode(ProbeSummary.Counts.self, from: counts(1025)) }
    }

    @Test func `a total is clamped`() {
        var counts = ProbeSummary.Counts()
        for code in 0..<4 { counts.add("c\(code)", .max) }
        #expect(counts.total == 1 << 60)
    }
}
