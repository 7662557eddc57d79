import AgentEvents
import AgentTestKit
import StateClient
import Testing

@testable import ReachAgent

/// The output of `watch` for the items of the stream.
@Suite struct WatchTextTests {
    /// The time of all lines.
    private let time = Timestamp(microsecondsSince1970: 1_795_244_400_000_000)

    private func line(_ text: String) throws -> StreamLine { try #require(StreamLine(Array(text.utf8))) }

    private func texts(
        _ items: [StreamItem],
        json: Bool = false,
        showsPaths: Bool = false,
        since: EventPosition? = nil
    ) -> [String] {
        let style = TerminalStyle(hasColour: false, hasUnicode: true, columns: 80)
        let lines = EventLines(style: style, today: time, width: { nil }, local: \.description)
        var text = WatchText(json ? .json : .human(lines, showsPaths: showsPaths), socket: "/s", since: since)
        return items.flatMap { text.lines(for: $0) }.map { line in
            switch line {
            case .json(let bytes): String(decoding: bytes, as: UTF8.self)
            case .text(let text): text
            case .notice(let notice): "! \(notice)"
            }
        }
    }

    @Test func `the state is shown first, with the targets`() throws {
        let targets = [
            "office": AgentLines.state(via: "none", reason: "no_route"), "a\u{1B}[m": AgentLines.state(via: "wwan"),
        ]
        let snapshot = AgentLines.snapshot(targets: targets.filter { $0.key == "office" })
        let lines = texts([.snapshot(try line(snapshot))])
        try #require(lines.count == 2)
        #expect(lines[0] == "07:00:00  now             reachable through wifi wlan0, connectivity unknown")
        #expect(lines[1] == "07:00:00  target office   not reachable (no_route)")
    }

    @Test func `the number of probes that are up is shown, and a few of those that are not`() throws {
        func told(_ probes: String, omitted: Int = 0) throws -> String? {
            let state = AgentLines.state(via: "wifi", connectivity: "partial")
            let snapshot = AgentLines.snapshot(state).replacing(
                #""targets":[]"#,
                with: #""targets":[],"probes":\#(probes),"probes_omitted":\#(omitted)"#
            )
            return texts([.snapshot(try line(snapshot))]).dropFirst().first
        }
        #expect(try told("[]") == nil)
        #expect(try told("7") == nil)
        #expect(try told(#"[{"probe":"web","verdict":"up"}]"#) == "07:00:00  probes          all 1 up")
        let some = #"""
            [{"probe":"web","family":"ipv6","verdict":"down","code":"tls_expired"},{"probe":"\u001b","interface":"wwan0",\#
            "verdict":"portal"},{"probe":"dns","verdict":"up"}]
            """#
        #expect(
            try told(some) == #"07:00:00  probes          1 of 3 up; web IPv6 down (tls_expired), \u{1b} wwan0 portal"#
        )
        let many = (1...1200).map { #"{"probe":"p\#($0)","verdict":"unknown"}"# }.joined(separator: ",")
        let names = (1...6).map { "p\($0) unknown" }.joined(separator: ", ")
        #expect(try told("[\(many)]") == "07:00:00  probes          0 of 1,200 up; \(names) and 1,194 more")
        // Those that are not up come first: after one that is, there are no others.
        let beginning = "07:00:00  probes          1"
        let good = #"[{"probe":"web","verdict":"unknown"},{"probe":"dns","verdict":"up"}]"#
        #expect(try told(good, omitted: 1500) == "\(beginning),501 of 1,502 up; web unknown")
        let unlisted = "0 of 1,200 up; \(names) and 1,194 more; 1,500 more are not listed"
        #expect(try told("[\(many)]", omitted: 1500) == "07:00:00  probes          \(unlisted)")
    }

    @Test func `an outage is reported once, with the event after which the stream resumes`() throws {
        let hello = try StreamHello(line(AgentLines.hello(41)))
        let gone = StreamItem.interrupted(.disconnected(socket: "/s"), retryIn: .zero)
        let refused = StreamItem.interrupted(.noAgent(socket: "/s", errno: 111), retryIn: .zero)
        let again = try StreamHello(line(AgentLines.hello(42)))
        let texts = texts([
            .connected(hello), .event(try line(AgentLines.changed(42, to: AgentLines.state(via: "wwan")))), gone,
            refused, refused, .connected(again),
        ])
        try #require(texts.count == 3)
        #expect(texts[1] == "! the agent at /s closed the connection; waiting for it")
        #expect(texts[2] == "! connected again (agent 0.1.0); resuming after event #42")
    }

    @Test func `a connection is reported only if the agent was not available at first`() throws {
        let hello = try StreamHello(line(AgentLines.hello(41)))
        #expect(texts([.connected(hello)]).isEmpty)
        let refused = StreamItem.interrupted(.noAgent(socket: "/s", errno: 2), retryIn: .zero)
        #expect(
            texts([refused, .connected(hello)]) == [
                "! no agent answers at /s: No such file or directory; waiting for it", "! connected (agent 0.1.0)",
            ]
        )
    }

    @Test func `missing events are named`() throws {
        let hello = try StreamHello(line(AgentLines.hello(3, stream: "new")))
        let texts = texts([
            .missed(42...42), .missed(42...100), .missed(0...UInt64.max), .connected(hello),
            .restarted(from: "old", to: "new"),
        ])
        #expect(texts[0] == "! event #42 is missing: the agent does not have what happened then any more")
        #expect(texts[1].hasPrefix("! events #42 to #100 are missing"))
        #expect(texts[3] == "! the agent restarted its numbering; events after the last one are not known")
    }

    @Test(arguments: [false, true])
    func `dropped events are counted`(json: Bool) {
        let texts = texts([.dropped(1), .dropped(12)], json: json)
        #expect(texts[0] == "! 1 unnumbered event was dropped, because the output was not read in time")
        #expect(texts[1] == "! 12 unnumbered events were dropped, because the output was not read in time")
    }

    @Test(arguments: [nil, "6f1c0000000000000000000000000001"])
    func `a number beyond the last event is not taken for a restart`(stream: String?) throws {
        let items: [StreamItem] = [
            .connected(try StreamHello(line(AgentLines.hello(41)))), .restarted(from: stream, to: AgentLines.stream),
            .interrupted(.disconnected(socket: "/s"), retryIn: .zero),
            .connected(try StreamHello(line(AgentLines.hello(41)))),
        ]
        let texts = texts(items, since: .number(999))
        #expect(texts.first == "! event #999 is beyond the agent's last one, #41; following from there")
        #expect(texts.last == "! connected again (agent 0.1.0); resuming after event #41")
    }

    @Test func `every edge of a path is shown only on request`() throws {
        let edge = StreamItem.event(try line(AgentLines.path(42)))
        #expect(texts([edge]).isEmpty)
        #expect(texts([edge], showsPaths: true) == ["07:00:00  path            none → wifi wlan0 [link_down]  #42"])
    }

    @Test func `events before a time are left out, and gaps before it are not named`() throws {
        let item = StreamItem.event(try line(AgentLines.changed(42, to: AgentLines.state(via: "wwan"))))
        let (now, later) = (EventPosition.moment(time), Timestamp(microsecondsSince1970: .max))
        #expect(texts([.missed(1...41), item], since: now).count == 1)
        #expect(texts([.missed(1...41), item], since: .moment(later)).isEmpty)
        #expect(texts([.missed(1...41), item], json: true, since: .moment(later)).isEmpty)
    }

    @Test func `in JSON every line of the agent's is passed on as it is`() throws {
        let lines = [AgentLines.hello(41), AgentLines.snapshot(), AgentLines.path(42)]
        let items: [StreamItem] = [
            .connected(try StreamHello(line(lines[0]))), .snapshot(try line(lines[1])), .event(try line(lines[2])),
        ]
        #expect(texts(items, json: true) == lines)
    }
}
