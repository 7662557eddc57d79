import AgentEvents
import Testing

@testable import Hooks

@Suite
struct HookEventTests {
    @Test
    func `a transition of the default path is read as it is written`() throws {
        let line = try SampleEvent.golden("reachability.changed.portal")
        let event = try #require(HookEvent(line: line))
        #expect(event.type == .reachabilityChanged)
        #expect(event.id == "6f1c0000000000000000000000000001-42")
        #expect(event.sequence == 42)
        #expect(event.time == "2026-11-21T07:00:00.123456Z")
        #expect(event.subject == "default")
        #expect(event.from.via == "wifi" && event.from.connectivity == "full" && event.from.portalURL == nil)
        #expect(event.to.via == "wifi" && event.to.connectivity == "portal" && event.to.interface == "wlan0")
        #expect(event.to.portalURL == "http://login.example/")
        #expect(event.cause == ChangeCause(kind: "probe", code: "portal_redirect"))
        #expect(event.line == line)
        #expect(event.target == nil && event.probe == nil && !event.isInitial)
    }

    @Test
    func `a loss says why, through which interface, and in which words`() throws {
        let event = try #require(HookEvent(line: try SampleEvent.golden("reachability.changed")))
        #expect(event.to.via == "none" && event.to.reason == "link_down" && event.to.interface == "wlan0")
        #expect(
            event.cause
                == ChangeCause(
                    kind: "link",
                    code: "link_down",
                    interface: "wlan0",
                    detail: "wlan0: \"no carrier\"\u{7}"
                )
        )
    }

    @Test
    func `a target is named, and the default path is not a target`() throws {
        let target = try #require(HookEvent(line: try SampleEvent.golden("target.changed")))
        #expect(target.target == "office" && target.to.via == "wwan" && target.to.interface == "wg0")
        let path = try #require(HookEvent(line: try SampleEvent.golden("path.changed")))
        #expect(path.target == nil && path.isInitial)
    }

    @Test
    func `an uplink's interface, use and reason are read`() throws {
        let event = try #require(HookEvent(line: try SampleEvent.golden("uplink.changed")))
        #expect(event.uplink == "wwan0" && event.to.interface == "wwan0" && event.to.kind == "wwan")
        #expect(event.from.connectivity == "full" && event.from.reason == nil && event.from.isUsed == false)
        #expect(event.to.connectivity == "none" && event.to.reason == "link_down" && event.to.isUsed == false)
    }

    @Test
    func `a probe's verdict, code and vantage are read`() throws {
        let event = try #require(HookEvent(line: try SampleEvent.golden("probe.changed")))
        #expect(event.probe == "web" && event.family == "ipv4" && event.interface == nil)
        #expect(event.from.verdict == "up" && event.to.verdict == "down" && event.to.code == "tls_expired")
        let portal = try #require(HookEvent(line: try SampleEvent.golden("probe.changed.portal")))
        #expect(portal.interface == "wwan0" && portal.to.portalURL == "http://login.example/")
    }

    @Test(arguments: [
        "agent.started", "agent.stopping", "certificate.expiring", "config.reloaded", "config.rejected",
        "journal.degraded", "sink.lost",
        "netlink.overrun", "netlink.resynced", "suspend.resumed", "probe.completed", "probe.progress",
        "network.snapshot",
        "agent.hello", "subscriber.lagged",
    ])
    func `all other types are read, without sides`(name: String) throws {
        let event = try #require(HookEvent(line: try SampleEvent.golden(name)))
        #expect(event.type.rawValue == "reachagent.\(name)")
        #expect(event.from == HookEvent.Side() && event.to == HookEvent.Side() && event.cause == nil)
    }

    @Test
    func `an event of the agent is the same as the one read from its line`() throws {
        let event = SampleEvent.reachability(7, cause: "start")
        let made = HookEvent(event)
        #expect(made.sequence == 7 && made.isInitial && made.line == event.line)
        #expect(HookEvent(line: event.line) == made)
    }

    private static let beginning = #"{"type":"reachagent.target.changed","id":"a","source":"/x","subject":"x","#

    @Test
    func `unknown members are ignored`() throws {
        let line =
            Self.beginning + #"""
                "time":"2026-11-21T07:00:00Z","new":[1,{"a":null}],"data":{"more":true,"observed":"2026-11-21T07:00:00Z",\#
                "from":{"via":"none","af_status":0,"path":{"via":"none"}},"cause":{"kind":"link","code":"link_up","x":[]},\#
                "to":{"via":"wifi","af_status":2,"path":{"via":"wifi","interface":null,"colour":7}}}}
                """#
        let event = try #require(HookEvent(line: Array(line.utf8)))
        #expect(event.to.via == "wifi" && event.to.interface == nil && event.sequence == nil)
    }

    @Test(arguments: [
        "", "{", "null", "[]", "{}", "\u{0}",
        #"{"type":"reachagent.target.changed","id":"a","time":"2026-11-21T07:00:00Z"}"#,
        #"{"type":"reachagent.unheard.of","id":"a","source":"/x","time":"2026-11-21T07:00:00Z","subject":"s"}"#,
        #"{"type":"reachagent.target.changed","id":7,"source":"/x","time":"2026-11-21T07:00:00Z","subject":"s"}"#,
        beginning + #""time":"now","data":{}}"#,
        beginning + #""time":"2026-11-21T07:00:00Z","data":[]}"#,
        beginning + #""time":"2026-11-21T07:00:00Z","data":{"to":{"via":["wifi"]}}}"#,
        beginning + #""time":"2026-11-21T07:00:00Z","data":{"cause":{"kind":"start"}}}"#,
    ])
    func `a line that is not an event is not read`(line: String) {
        #expect(HookEvent(line: Array(line.utf8)) == nil)
    }

    @Test
    func `lines that are too long, too deep or not UTF-8 are not read`() throws {
        // Each would be an event without what is wrong with it.
        let stopping =
            #"{"type":"reachagent.agent.stopping","id":"a","source":"/x","subject":"agent","#
            + #""time":"2026-11-21T07:00:00Z","data":{"reason":"r"},"x":"#
        #expect(HookEvent(line: Array((stopping + "1}").utf8)) != nil)
        let long = stopping + "\"" + String(repeating: "y", count: ScannedLine.maximumBytes) + "\"}"
        #expect(HookEvent(line: Array(long.utf8)) == nil)
        let deep = stopping + String(repeating: "[", count: 5000) + String(repeating: "]", count: 5000) + "}"
        #expect(HookEvent(line: Array(deep.utf8)) == nil)
        #expect(HookEvent(line: Array(stopping.utf8) + [0x22, 0xFF, 0xFE, 0x22, 0x7D]) == nil)
    }

    @Test
    func `no line that was cut or has a wrong byte traps`() throws {
        let line = try SampleEvent.golden("probe.changed")
        var random = SystemRandomNumberGenerator()
        for length in line.indices { #expect(HookEvent(line: Array(line[..<length])) == nil) }
        for index in line.indices {
            var changed = line
            changed[index] = UInt8.random(in: .min ... .max, using: &random)
            _ = HookEvent(line: changed)
        }
    }
}
