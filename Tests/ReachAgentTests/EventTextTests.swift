import EventEnvelope
import EventSchema
import Foundation
import Reachability
import Testing

@testable import ReachAgent

@Suite struct EventTextTests {
    private let clock = String(Timestamp(microsecondsSince1970: 1_795_244_400_123_456).localDescription.dropFirst(11))

    private func line(_ json: String) -> String { EventText.line(of: Array(json.utf8)) }

    private func event(_ type: String, _ data: String, subject: String = "default") -> String {
        line(
            """
            {"type":"reachagent.\(type)","subject":"\(subject)","time":"2026-11-21T07:00:00.123456Z","seq":1,\
            "data":\(data)}
            """
        )
    }

    @Test(arguments: [
        EventDraft.agentStarted(
            version: "0.1.0",
            origin: EventOrigin(streamID: "x", host: "h"),
            settle: .standard,
            targets: []
        ),
        EventDraft.agentStopping(reason: "SIGTERM"), EventDraft.subscriberLagged(lastSequence: 41),
    ])
    func `the line is that of the event itself`(draft: EventDraft) {
        let origin = EventOrigin(streamID: "x", host: "h")
        let event = Event(draft, from: origin, at: Timestamp(microsecondsSince1970: 1_795_244_400_123_456), number: 7)
        #expect(EventText.line(of: event.line) == HumanLine.text(event))
    }

    @Test(arguments: [
        (
            #"{"from":{"via":"unknown","path":{"via":"unknown"}},"to":{"via":"wifi","path":{"via":"wifi","interface":"wlan0","ipv4":{"via":"wifi"},"ipv6":{"via":"none"}}},"cause":{"code":"initial"}}"#,
            "unknown → wifi wlan0 IPv4 [initial]"
        ),
        (
            #"{"from":{"via":"wifi","path":{"via":"wifi","interface":"wlan0","ipv4":{"via":"wifi"},"ipv6":{"via":"wifi"}}},"to":{"via":"none","reason":"link_down","path":{"via":"none","reason":"link_down","interface":"wlan0"}},"cause":{"code":"link_down","detail":"carrier lost"}}"#,
            "wifi wlan0 IPv4+IPv6 → none (link_down wlan0) [link_down]; carrier lost"
        ),
        (
            #"{"from":{"via":"none","path":{"via":"none"}},"to":{"via":"wwan","path":{"via":"wwan","interface":"wg0","underlay":{"interface":"wwan0"}}}}"#,
            "none → wwan wg0 over wwan0"
        ),
        (#"{"from":{"via":"none"},"to":{"via":"wired"}}"#, "none → wired"),
        (#"{"from":7,"to":[],"cause":"x"}"#, "cause=x, from=7"),
    ])
    func `a change is told in a few words`(data: String, summary: String) {
        #expect(event("reachability.changed", data) == "\(clock)  reachability.changed  default   \(summary)")
    }

    @Test func `the golden events are told as they were when they were made`() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "EventSchemaTests/Golden")
        let summaries = try [
            "path.changed", "target.changed", "netlink.overrun", "netlink.resynced", "network.snapshot",
        ]
        .map { name in
            let json = try Array(Data(contentsOf: folder.appending(path: "\(name).json")))
            return String(EventText.line(of: json).dropFirst(clock.count + 2))
        }
        #expect(
            summaries == [
                "path.changed          default   unknown → wifi wlan0 IPv4 [initial]",
                "target.changed        office    unknown → wwan wg0 over wwan0 [rule_changed]",
                "netlink.overrun       agent     the buffer was full",
                "netlink.resynced      agent     the kernel's state was read again; 1 corrections",
                "network.snapshot      default   wifi wlan0 IPv4",
            ]
        )
    }

    @Test func `an unknown type is told by its plain members`() {
        let text = event(
            "probe.changed",
            #"{"b":true,"a":-1.5,"n":18446744073709551615,"o":{"x":1},"l":[1],"z":null,"s":"x y"}"#
        )
        #expect(text == "\(clock)  probe.changed         default   a=-1.5, b=true, n=18446744073709551615, s=x y")
    }

    @Test(arguments: [
        "", "x", "{", "[]", "null", "{}", "{\"type\":1}", "\u{1B}[31m",
        "{\"type\":\"t\",\"time\":\"never\",\"data\":[[[]]]}",
        "{\"type\":\"\u{1B}]0;x\u{7}\",\"subject\":\"\\u202e\\u0000\",\"data\":{\"a\":\"\\u001b[2J\\n\"}}",
        "{\"type\":\"reachagent.agent.stopping\",\"data\":{\"reason\":\"\\u001b[2J\\n\\u2028\"}}",
        "{\"type\":\"t\",\"data\":" + String(repeating: "[", count: 5000) + "}",
    ])
    func `anything has a form that is safe to show`(json: String) {
        let text = line(json)
        let isSafe = text.unicodeScalars.allSatisfy { scalar in
            ![.control, .format, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
        }
        #expect(isSafe)
        #expect(text.count < 3000)
    }

    @Test func `no bytes are refused`() { #expect(EventText.line(of: [0xFF, 0xC0, 0x00]).contains("\\u{0}")) }
}
