import Foundation
import NetlinkMonitor
import Probes
import Reachability
import Testing

@testable import ReachAgent

/// The fault of this machine that `reachagent probe` names beside a target's silence.
@Suite struct PathHintTests {
    private static let unplugged = Path(
        via: .none,
        interface: PathInterface(index: 3, name: "eth0", kind: .wired),
        reason: .linkDown
    )
    private static let noRoute = Path(via: .none, reason: .noRoute)

    private static func report(_ verdict: CheckVerdict) -> CheckReport {
        CheckReport(
            target: "https://host.test/",
            verdict: verdict,
            findings: [],
            hops: [],
            started: Date(timeIntervalSince1970: 1_795_244_400),
            duration: .seconds(10)
        )
    }

    private static let silence = report(.failed(.connectTimeout, .connect))

    @Test func `silence over a link without carrier is this machine's fault, with the next command`() throws {
        let hint = try #require(PathHint(Self.silence, paths: [Self.noRoute, Self.unplugged]))
        #expect(hint.evidence == "eth0: \(ReasonCode.linkDown.sentence) [link_down]")
        var text = CheckText(style: .plain)
        text.path = hint
        let lines = text.text(Self.silence).split(separator: "\n").map(String.init)
        #expect(lines.contains("note this machine has no usable path to the target"))
        #expect(lines.contains { $0.hasPrefix("  seen  eth0: ") })
        #expect(lines.contains("  do    reachagent diagnose"))
    }

    @Test func `a usable path to one of the addresses leaves the silence to the target`() {
        #expect(PathHint(Self.silence, paths: [Self.noRoute, Path(via: .wired)])?.evidence == nil)
        #expect(PathHint(Self.silence, paths: [Path(via: .unknown)])?.evidence == nil)
    }

    @Test func `an answer needs no hint about the path`() {
        for verdict in [CheckVerdict.ok, .failed(.httpStatus, .body), .failed(.connectRefused, .connect)] {
            #expect(PathHint(Self.report(verdict), paths: [Self.unplugged])?.evidence == nil)
        }
    }

    @Test func `a name that no resolver answered has the same hint`() {
        #expect(PathHint(Self.report(.unknown(.dnsTimeout, .resolve)), paths: [Self.noRoute])?.evidence != nil)
    }
}
