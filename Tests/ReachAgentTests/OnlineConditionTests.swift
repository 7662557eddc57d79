import AgentEvents
import AgentTestKit
import StateClient
import Testing

@testable import ReachAgent

/// The conditions under which a machine counts as online, without a socket.
@Suite struct OnlineConditionTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var level = OnlineCondition.Level.path
        var media: [Medium] = []
        var target: String?
        var state = AgentLines.state(via: "wifi")
        /// `nil` when the condition holds.
        var code: String?
        var testDescription: String { "\(level) \(media) \(target ?? "-") \(state) \(code ?? "holds")" }
    }

    private static let targets = [
        "office": AgentLines.state(via: "wwan"), "depot": AgentLines.state(via: "none", reason: "no_route"),
    ]

    private static func item(_ text: String, isSnapshot: Bool = false) throws -> StreamItem {
        let line = try #require(StreamLine(Array(text.utf8)))
        return isSnapshot ? .snapshot(line) : .event(line)
    }

    private static func states(_ state: String) throws -> OnlineCondition.States {
        var states = OnlineCondition.States()
        states.take(try item(AgentLines.snapshot(state, targets: targets), isSnapshot: true))
        return states
    }

    @Test(
        "the condition holds, or the part that does not is reported",
        arguments: [
            Case(),
            Case(state: AgentLines.state(via: "wwan")),
            Case(state: AgentLines.state(via: "other")),
            Case(state: AgentLines.state(via: "none", reason: "link_down"), code: "not_reachable"),
            Case(state: AgentLines.state(via: "unknown"), code: "state_unknown"),
            Case(state: "{}", code: "state_unknown"),
            Case(state: "5", code: "state_unknown"),
            Case(level: .full, code: "not_full"),
            Case(level: .full, state: AgentLines.state(via: "wifi", connectivity: "partial"), code: "not_full"),
            Case(level: .full, state: AgentLines.state(via: "wifi", connectivity: "full")),
            Case(level: .full, state: AgentLines.state(via: "none", connectivity: "full"), code: "not_reachable"),
            Case(media: [.wired, .wifi]),
            Case(media: [.wired, .wwan], code: "other_medium"),
            Case(media: [.other], code: "other_medium"),
            Case(media: [.wifi], state: AgentLines.state(via: "none", reason: "no_route"), code: "not_reachable"),
            Case(target: "office"),
            Case(target: "office", state: AgentLines.state(via: "none", reason: "no_route")),
            Case(media: [.wifi], target: "office", code: "other_medium"),
            Case(target: "depot", code: "not_reachable"),
            Case(target: "elsewhere", code: "unknown_target"),
        ]
    )
    func verdict(_ test: Case) throws {
        let condition = OnlineCondition(level: test.level, media: test.media, target: test.target)
        let states = try Self.states(test.state)
        do throws(OnlineCondition.Failure) {
            _ = try condition.check(states)
            #expect(test.code == nil)
        } catch {
            #expect(error.code.rawValue == test.code)
        }
    }

    @Test func `no condition holds before the state is known`() {
        for condition in [OnlineCondition(), OnlineCondition(target: "office")] {
            #expect(
                throws: OnlineCondition.Failure(code: .stateUnknown, text: "the agent has not reported its state")
            ) {
                try condition.check(OnlineCondition.States())
            }
        }
    }

    @Test func `events update the snapshot's states, each for its subject`() throws {
        var states = try Self.states(AgentLines.state(via: "none", reason: "link_down"))
        states.take(try Self.item(AgentLines.path(42)))
        #expect(throws: OnlineCondition.Failure.self) { try OnlineCondition().check(states) }
        states.take(try Self.item(AgentLines.targetChanged(43, "depot", to: AgentLines.state(via: "wired"))))
        #expect(try OnlineCondition(target: "depot").check(states).via == .wired)
        #expect(throws: OnlineCondition.Failure.self) { try OnlineCondition().check(states) }
        #expect(states.since(nil) == nil)
        states.take(try Self.item(AgentLines.changed(44, to: AgentLines.state(via: "wwan"))))
        #expect(try OnlineCondition(media: [.wwan]).check(states).path.interface == "wwan0")
        #expect(states.since(nil)?.description == "2026-11-21T07:00:00.123456Z")
    }

    @Test(
        "the reason names the state and the requested condition",
        arguments: [
            (
                OnlineCondition(media: [.wired, .wwan]),
                "the default path is reachable through wifi wlan0, not wired or wwan"
            ),
            (
                OnlineCondition(level: .full),
                "the default path is reachable through wifi wlan0, connectivity unknown, not full"
            ),
            (OnlineCondition(target: "depot"), "target 'depot' is not reachable (no_route)"),
            (OnlineCondition(target: "x"), "the agent has no target 'x'; it has depot, office"),
        ]
    )
    func reasons(_ condition: OnlineCondition, _ text: String) throws {
        let states = try Self.states(AgentLines.state(via: "wifi"))
        let failure = #expect(throws: OnlineCondition.Failure.self) { try condition.check(states) }
        #expect(failure?.text == text)
    }

    @Test(
        "without full connectivity, the reason and its probe are reported",
        arguments: [
            (
                #""connectivity":"partial","connectivity_reason":"tls_expired","connectivity_probe":"web""#,
                "connectivity partial (tls_expired web), not full"
            ),
            (
                #""connectivity":"portal","connectivity_reason":"portal_redirect","portal_url":"http://login.example/""#,
                "connectivity portal (portal_redirect), log in at http://login.example/, not full"
            ),
            (
                #""connectivity":"local","connectivity_reason":"dns_timeout","flapping":true"#,
                "connectivity local (dns_timeout), flapping, not full"
            ),
        ]
    )
    func connectivity(_ members: String, _ text: String) throws {
        let states = try Self.states(#"{"via":"wifi",\#(members),"path":{"via":"wifi","interface":"wlan0"}}"#)
        let failure = #expect(throws: OnlineCondition.Failure.self) { try OnlineCondition(level: .full).check(states) }
        #expect(failure?.code == .notFull)
        #expect(failure?.text == "the default path is reachable through wifi wlan0, \(text)")
    }
}
