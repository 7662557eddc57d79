import AgentEvents
import Testing

@testable import Hooks

@Suite
struct HookEnvironmentTests {
    private static var event: HookEvent {
        var event = HookEvent(
            type: .reachabilityChanged,
            id: "boot:7",
            sequence: 7,
            time: "2026-05-01T10:00:00.000Z",
            subject: "default",
            line: []
        )
        event.from.via = "wired"
        event.from.connectivity = "full"
        event.from.interface = "eth0"
        event.from.verdict = "up"
        event.to.via = "wifi"
        event.to.connectivity = "portal"
        event.to.interface = "wlan0"
        event.to.verdict = "down"
        event.to.code = "tcp_refused"
        event.to.portalURL = "http://portal.example/"
        event.cause = ChangeCause(kind: "link", code: "carrier_lost", interface: "eth0", detail: "eth0 lost\u{7}\n")
        event.family = "ipv4"
        return event
    }

    private static func variables(_ event: HookEvent, superseded: Int = 0, isAtStart: Bool = false) -> [String: String]
    {
        HookEnvironment.variables(
            hook: "10-log",
            path: "/etc/reachagent/hooks.d/10-log",
            event: event,
            superseded: superseded,
            isAtStart: isAtStart
        )
    }

    @Test
    func `everything that an event says has its variable`() {
        let expected = [
            "REACH_HOOK": "10-log", "REACH_HOOK_PATH": "/etc/reachagent/hooks.d/10-log",
            "REACH_TYPE": "reachability.changed", "REACH_ID": "boot:7", "REACH_SEQ": "7",
            "REACH_TIME": "2026-05-01T10:00:00.000Z", "REACH_SUBJECT": "default",
            "REACH_FROM_VIA": "wired", "REACH_TO_VIA": "wifi",
            "REACH_FROM_CONNECTIVITY": "full", "REACH_TO_CONNECTIVITY": "portal",
            "REACH_FROM_INTERFACE": "eth0", "REACH_TO_INTERFACE": "wlan0", "REACH_INTERFACE": "wlan0",
            "REACH_FAMILY": "ipv4", "REACH_FROM_VERDICT": "up", "REACH_TO_VERDICT": "down",
            "REACH_REASON": "tcp_refused", "REACH_CAUSE_KIND": "link", "REACH_CAUSE": "carrier_lost",
            "REACH_CAUSE_INTERFACE": "eth0", "REACH_CAUSE_DETAIL": "eth0 lost??",
            "REACH_PORTAL_URL": "http://portal.example/", "REACH_SUPERSEDED": "3", "REACH_AT_START": "1",
        ]
        #expect(Self.variables(Self.event, superseded: 3, isAtStart: true) == expected)
    }

    @Test
    func `variables that do not apply are not set`() {
        let event = HookEvent(type: .configReloaded, id: "a", sequence: nil, time: "t", subject: "agent", line: [])
        let names = Set(Self.variables(event).keys)
        #expect(names == ["REACH_HOOK", "REACH_HOOK_PATH", "REACH_TYPE", "REACH_ID", "REACH_TIME", "REACH_SUBJECT"])
    }

    @Test
    func `the list has every variable, once`() {
        var event = Self.event
        event.type = .targetChanged
        event.subject = "office"
        var names = Set(Self.variables(event, superseded: 1, isAtStart: true).keys)
        event.type = .probeChanged
        names.formUnion(Self.variables(event).keys)
        event.type = .uplinkChanged
        event.to.kind = "wifi"
        (event.from.isUsed, event.to.isUsed) = (true, false)
        names.formUnion(Self.variables(event).keys)
        #expect(HookEnvironment.variables.count == names.count)
        #expect(Set(HookEnvironment.variables.map(\.name)) == names)
    }

    @Test(arguments: [
        (HookEvent.Side?.none, "eth7", "eth8", "eth7"), (nil, nil, "eth8", "eth8"), (nil, nil, nil, "eth9"),
    ])
    func `the interface is the nearest one`(to: HookEvent.Side?, own: String?, cause: String?, expected: String) {
        var event = HookEvent(type: .probeChanged, id: "a", sequence: 1, time: "t", subject: "p", line: [])
        event.from.interface = "eth9"
        event.interface = own
        event.cause = ChangeCause(kind: "k", code: "c", interface: cause)
        #expect(Self.variables(event)["REACH_INTERFACE"] == expected)
    }

    @Test
    func `a value is bounded, and ends at a whole character`() {
        var event = Self.event
        event.subject = "x" + String(repeating: "€", count: 5000)
        let value = Self.variables(event)["REACH_SUBJECT"] ?? ""
        #expect(value == "x" + String(repeating: "€", count: 1365))
        #expect(value.utf8.count == HookEnvironment.maximumValueBytes)
        event.subject = "a\0b\u{85}c"
        #expect(Self.variables(event)["REACH_SUBJECT"] == "a?b?c")
    }

    @Test
    func `a hook's own variables cannot pretend to be ours`() {
        let own = ["REACH_TO_VIA": "wired", "": "x", "A=B": "x", "TOKEN": "1\02", "LANG": "de_DE.UTF-8"]
        let environment = HookEnvironment.environment(["REACH_TO_VIA": "wifi"], account: nil, own: own)
        let expected = ["PATH": HookEnvironment.path, "LANG": "de_DE.UTF-8", "REACH_TO_VIA": "wifi", "TOKEN": "1?2"]
        #expect(environment == expected)
    }

    @Test
    func `an account has its home`() {
        let account = HookAccount(uid: 5, gid: 5, groups: [5], name: "games", home: "/usr/games", shell: "/bin/sh")
        let environment = HookEnvironment.environment([:], account: account, own: [:])
        let expected = [
            "PATH": HookEnvironment.path, "LANG": "C.UTF-8", "USER": "games", "LOGNAME": "games", "HOME": "/usr/games",
            "SHELL": "/bin/sh",
        ]
        #expect(environment == expected)
    }
}
