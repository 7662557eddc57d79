import AgentEvents
import Testing

@testable import ReachAgent

/// The text of the list of subscribers on a terminal.
@Suite struct SubscribersTextTests {
    private func text(_ json: String, hasColour: Bool = false) throws -> String {
        let style = TerminalStyle(hasColour: hasColour, hasUnicode: false, columns: 80)
        let clock = ClockText(now: Timestamp(microsecondsSince1970: 1_795_266_000_000_000))
        let text = SubscribersText(style: style, clock: clock) { $0 == 1000 ? "kim" : nil }
        return text.text(try EventDecoder.decode(SubscriberList.self, from: Array(json.utf8)))
    }

    @Test func `each connection has a line, and its filters another one`() throws {
        let text = try text(
            #"""
            {"limit":4096,"subscribers":[
            {"socket":"events","pid":9,"uid":1000,"command":"socat","connected":"2026-11-21T12:00:00Z","state":"live",
            "lag":0,"bytes":1234},
            {"socket":"control","pid":83412,"uid":7,"command":"reachagent","connected":"2026-11-18T12:00:00Z",
            "state":"replaying","types":["reachagent.path.changed","probe.*"],"subjects":["default"],"lag":40,
            "bytes":1234567},
            {"state":"idle"}]}
            """#.replacing("\n", with: " ")
        )
        #expect(
            text == """
                CLIENT             USER  SOCKET   STATE      LAG  SENT     CONNECTED
                socat[9]           kim   events   live       0    1.2 KiB  1 h ago
                reachagent[83412]  7     control  replaying  40   1.1 MiB  3 d ago
                  only path.changed, probe.* about default
                ?                  ?     ?        idle       -    -        -
                3 of 4096 connections
                """
        )
    }

    @Test func `the numbers of what the agent has left out are shown`() throws {
        let filters = #""types":["probe.*"],"types_omitted":3,"subjects":["web","dns"],"subjects_omitted":62"#
        let text = try text(#"{"limit":4096,"subscribers":[{\#(filters)}],"subscribers_omitted":40}"#)
        #expect(text.contains("only probe.* and 3 more about web, dns and 62 more"))
        #expect(text.hasSuffix("\n41 of 4096 connections, of which 40 are not listed"))
    }

    @Test func `a client's name cannot move the cursor`() throws {
        let evil = #"a\u001b[2J\n"#
        let text = try text(
            #"{"subscribers":[{"command":"\#(evil)","socket":"\#(evil)","state":"\#(evil)","types":["\#(evil)"],"#
                + #""subjects":["\#(evil)"]}]}"#
        )
        #expect(text.split(separator: "\n").count == 4)
        #expect(!text.contains("\u{1B}"))
    }

    @Test func `a subscriber that was cut off is highlighted`() throws {
        #expect(try text(#"{"subscribers":[{"state":"lagged"}]}"#, hasColour: true).contains("\u{1B}[31m?"))
    }

    @Test func `a thousand filters do not flood the screen`() throws {
        let types = (0..<1000).map { "\"path.t\($0)\"" }.joined(separator: ",")
        let text = try text("{\"subscribers\":[{\"types\":[\(types)]}]}")
        #expect(text.contains("and 984 more"))
        #expect(text.split(separator: "\n").count < 10)
    }
}
