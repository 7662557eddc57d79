import AgentTestKit
import Configuration
import Foundation
import Logging
import NetlinkMonitor
import NotificationBus
import Probes
import Reachability
import Testing

import struct AgentEvents.Event
import struct AgentEvents.EventDraft
import struct AgentEvents.EventOrigin
import struct AgentEvents.HookCompletion
import struct AgentEvents.HookEnding
import struct AgentEvents.Timestamp

@testable import ReachAgent
@testable import ServiceSupport

/// Events as messages of the log.
@Suite(.onOwnThread) struct EventLogTests {
    private static let origin = EventOrigin(streamID: "6f1c", host: "edge-7")
    private static let observed = ObservedTime(instant: .now, microsecondsSince1970: 0)
    private static let wifi = path(.wifi, "wlan0")
    private static let wwan = path(.wwan, "wwan0")
    private static let none = Path(via: .none, reason: .linkDown)

    private static func path(_ via: Via, _ interface: String) -> Path {
        Path(via: via, interface: PathInterface(index: 3, name: interface, kind: .wifi))
    }

    private static func event(_ draft: EventDraft) -> Event {
        Event(draft, from: origin, at: Timestamp(microsecondsSince1970: 0), number: 7)
    }

    private static func event(_ transition: Transition) -> Event {
        event(EventDraft(transition))
    }

    private static func change<State>(_ from: State, _ to: State, detail: String? = nil) -> Change<State> {
        let cause = ChangeCause(kind: .link, code: "link_down", detail: detail)
        return Change(from: from, to: to, cause: cause, observed: observed)
    }

    private static func state(_ path: Path, _ connectivity: Connectivity = .unknown) -> ReachabilityState {
        ReachabilityState(ipv4: path, ipv6: none, connectivity: path == none ? nil : connectivity)
    }

    @Test(
        arguments: [
            (state(wifi), state(none), Logger.Level.warning), (state(none), state(wifi), .notice),
            (state(wifi), state(wwan), .notice), (.unknown, state(wifi), .notice), (.unknown, state(none), .notice),
            (state(wifi, .full), state(wifi, .partial), .warning),
            (state(wifi, .partial), state(wifi, .portal), .warning),
            (state(wifi, .portal), state(wifi, .local), .warning), (state(wifi, .local), state(wifi, .full), .notice),
            (state(wifi, .unknown), state(wifi, .full), .notice), (state(wifi, .full), state(wifi, .unknown), .notice),
            (.unknown, state(wifi, .portal), .notice), (state(none), state(wifi, .local), .notice),
        ] as [(ReachabilityState, ReachabilityState, Logger.Level)]
    )
    func `a loss is a warning, and every other change a notice`(
        from: ReachabilityState,
        to: ReachabilityState,
        level: Logger.Level
    ) {
        #expect(EventLogLine.level(of: Self.event(.reachability(Self.change(from, to)))) == level)
        #expect(EventLogLine.level(of: Self.event(.path(Self.change(from, to)))) == .debug)
    }

    @Test func `a target is judged like the default path, and named`() throws {
        let address = try #require(IPAddress("203.0.113.7"))
        let target = Target(name: "office", address: address)
        let up = TargetState(address: address, path: Self.wifi)
        let down = TargetState(address: address, path: Self.none)
        let loss = Self.event(.target(target, Self.change(up, down, detail: "no carrier")))
        #expect(EventLogLine.level(of: loss) == .warning)
        #expect(EventLogLine.text(of: loss) == "target office: wifi wlan0 → none (link_down) [link_down]; no carrier")
        #expect(EventLogLine.level(of: Self.event(.target(target, Self.change(down, up)))) == .notice)
        let raw = Self.event(.targetPath(target, Self.change(up, down)))
        #expect(EventLogLine.level(of: raw) == .debug)
        #expect(EventLogLine.text(of: raw).hasPrefix("path of target office: "))
    }

    @Test(
        arguments: [
            (.full, .none, .warning), (.unknown, .none, .warning), (.full, .partial, .warning),
            (.portal, .local, .warning), (.none, .full, .notice), (.none, .unknown, .notice),
            (.full, .unknown, .notice), (.unknown, .full, .notice), (.full, .full, .debug),
        ] as [(Connectivity, Connectivity, Logger.Level)]
    )
    func `the loss of a standby is a warning, and that of an uplink in use is left to the default path`(
        from: Connectivity,
        to: Connectivity,
        level: Logger.Level
    ) {
        func uplink(_ connectivity: Connectivity, isUsed: Bool) -> Uplink {
            let interface = PathInterface(index: 4, name: "wwan0", kind: .wwan)
            let reason = connectivity == .full ? nil : ConnectivityReason(code: "link_down")
            return Uplink(interface: interface, connectivity: connectivity, reason: reason, isUsed: isUsed)
        }
        for (before, after) in [(false, false), (true, true), (true, false), (false, true)] {
            let change = Self.change(uplink(from, isUsed: before), uplink(to, isUsed: after))
            let event = Self.event(.uplink(change))
            #expect(EventLogLine.level(of: event) == (before || after ? .debug : level))
            #expect(EventLogLine.text(of: event).hasPrefix("uplink wwan0: wwan, "))
        }
    }

    @Test(
        arguments: [
            (.up, .down, .warning), (.up, .portal, .warning), (.unknown, .down, .warning), (.down, .up, .notice),
            (.portal, .up, .notice), (.unknown, .up, .info), (.up, .unknown, .info),
        ] as [(ProbeState.Verdict, ProbeState.Verdict, Logger.Level)]
    )
    func `a probe's first success is not news`(
        from: ProbeState.Verdict,
        to: ProbeState.Verdict,
        level: Logger.Level
    ) {
        // A server's text cannot be taken for the state.
        let change = Self.change(ProbeState(from), ProbeState(to), detail: "\"to\":{\"verdict\":\"up\"}")
        let point = ProbePoint(probe: "web", vantage: .default)
        let event = Self.event(.probe(point, change))
        #expect(EventLogLine.level(of: event) == level)
        #expect(EventLogLine.text(of: event).hasPrefix("probe web: \(from.rawValue) → \(to.rawValue)"))
    }

    /// A bus whose events are logged to a pipe, and what is written there.
    private func logged(isPrinted: Bool, _ level: Logger.Level) throws -> [String] {
        let pipe = Pipe()
        let log = ProgramLog(pipe.fileHandleForWriting.fileDescriptor, of: "reachagent", format: .journal)
        log.level = level
        let logger = Logger(label: "test") { _ in ProgramLogHandler(log: log) }
        let bus = NotificationBus<Event>()
        let events = EventLog(bus: bus, logger: logger, isPrinted: isPrinted)
        events.start()
        let loss = Self.change(Self.state(Self.wifi), Self.state(Self.none))
        for transition in [Transition.path(loss), .reachability(loss)] {
            bus.publish { _ in Self.event(transition) }
        }
        bus.publish { _ in Self.event(.agentStopping(reason: "SIGTERM")) }
        bus.finish()
        log.finish(within: .seconds(30))
        try pipe.fileHandleForWriting.close()
        let text = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        withExtendedLifetime(events) {}
        return text.split(separator: "\n").map(String.init)
    }

    @Test func `changes that are not printed are logged, by their level`() throws {
        let loss = "wifi wlan0 IPv4 → none (link_down) [link_down]"
        let (raw, settled) = ("<7>path: \(loss)", "<4>reachability: \(loss)")
        let end = "<5>agent stopping (SIGTERM)"
        #expect(try logged(isPrinted: false, .notice) == [settled, end])
        #expect(try logged(isPrinted: false, .debug) == [raw, settled, end])
        #expect(try logged(isPrinted: false, .warning) == [settled])
        #expect(try logged(isPrinted: false, .critical) == [])
        #expect(try logged(isPrinted: true, .info) == [])
        #expect(try logged(isPrinted: true, .debug) == [raw, settled, end])
    }

    @Test(
        arguments: [
            ("exited", "no such device\n", []), ("exited", "  no such device", []), ("stopped", "'hello'", []),
            ("succeeded", "done\n", ["done"]), ("exited", "first\nsecond\n", ["first", "second"]), ("exited", "", []),
            // The summary has only its start.
            ("exited", String(repeating: "x", count: 300), [String(repeating: "x", count: 300)]),
        ] as [(String, String, [String])]
    )
    func `the only line of a failed hook's output is not logged twice`(
        outcome: String,
        output: String,
        lines: [String]
    ) {
        let completion = HookCompletion(
            hook: "vpn",
            kind: "command",
            trigger: "reachability.changed",
            superseded: 0,
            ending: HookEnding(outcome: outcome, durationMilliseconds: 5),
            delayMilliseconds: 0,
            output: output,
            failures: 1
        )
        #expect(HookLog.outputLines(of: completion) == lines)
    }

    @Test func `a logger follows the log's level at once, unless it has its own`() {
        let log = ProgramLog(-1, of: "reachagent", format: .plain)
        var logger = Logger(label: "test") { _ in ProgramLogHandler(log: log) }
        #expect(logger.logLevel == .notice)
        log.level = .debug
        #expect(logger.logLevel == .debug)
        logger.logLevel = .error
        log.level = .trace
        #expect(logger.logLevel == .error)
    }

    @Test func `every level of the configuration is one of the log`() {
        #expect(LogLevel.allCases.map { Logger.Level(rawValue: $0.rawValue) } == Logger.Level.allCases)
    }
}
