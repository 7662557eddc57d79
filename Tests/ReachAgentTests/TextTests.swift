import NetlinkMonitor
import Probes
import Reachability
import Testing

@testable import ReachAgent

/// The text of paths on a terminal.
struct TextTests {
    private func address(_ text: String) -> IPAddress { IPAddress(text) ?? .unspecified(.ipv4) }

    @Test(
        "without a probe the next step is one that the user has not excluded",
        arguments: [(false, "reachagent config init"), (true, "use '--config' or '--probe'")]
    )
    func withoutProbe(readsNoConfiguration: Bool, next: String) {
        let machine = ReachabilityMachine(MachineConfiguration(settle: .none))
        let lines = StateText.lines(machine, readsNoConfiguration: readsNoConfiguration, style: .plain)
        #expect(lines.last == "connectivity unknown: no probe is configured; next: \(next)")
    }

    @Test("a probe with a long name has its whole code on a narrow terminal")
    func longName() throws {
        let name = "headquarters-building-north-floor-3-office-uplink-monitor"
        var machine = ReachabilityMachine(MachineConfiguration(settle: .none, probes: [ProbeRule(name: name)]))
        _ = machine.handle(NetworkUpdate(snapshot: DiagnosisTests.kernel(), changes: [], observed: .now))
        let point = try #require(machine.points.first)
        for _ in 0..<3 {
            let detail = "192.0.2.1:443: connect: No route to host"
            _ = machine.handle(
                ProbeSample(point: point, outcome: .failed, code: .hostUnreachable, detail: detail, observed: .now)
            )
        }
        let style = TerminalStyle(hasColour: false, hasUnicode: true, columns: 60)
        let lines = StateText.lines(machine, style: style)
        #expect(lines.last == "head…itor  default/ipv4  down [host_unreachable]  192.0.2.1…", "\(lines)")
    }

    @Test("a path is shown with everything that an operator asks next")
    func path() {
        let path = Path(
            via: .wwan,
            interface: PathInterface(index: 9, name: "wg0", kind: .tunnel),
            gateway: address("10.8.0.1"),
            source: address("10.8.0.2"),
            prefix: .everything(.ipv4),
            table: 51820,
            metric: 50,
            underlay: PathUnderlay(
                interface: PathInterface(index: 4, name: "wwan0", kind: .wwan),
                evidence: .markExemption
            )
        )
        #expect(
            StateText.lines(path, to: address("198.51.100.1")) == [
                "198.51.100.1 leaves through wwan wg0 over wwan0",
                "  interface  wg0 (tunnel)",
                "  gateway    10.8.0.1",
                "  source     10.8.0.2",
                "  route      default metric 50 table 51820",
                "  underlay   wwan0 (mark_exemption, a guess)",
            ]
        )
    }

    @Test("a missing path is shown with its code and a sentence")
    func noPath() {
        let path = Path(via: .none, reason: .noRoute)
        #expect(
            StateText.lines(path, to: address("198.51.100.1")) == [
                "198.51.100.1 has no usable path: no_route", "  The kernel has no route to it.",
            ]
        )
    }
}
