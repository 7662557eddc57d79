import NetlinkMonitor
import Probes
import Reachability
import Testing

import struct AgentEvents.AgentStatus
import struct AgentEvents.EventOrigin

@testable import ReachAgent

/// The state in the log.
@Suite struct StateDumpTests {
    private static func status(targets count: Int) -> AgentStatus {
        let origin = EventOrigin(streamID: "6f1c", host: "edge-7", bootID: "0e2a")
        let targets = (0..<count).map { number in
            Target(name: "host-\(number)", address: IPAddress("203.0.113.7") ?? .unspecified(.ipv4))
        }
        let agent = AgentFacts(version: "0.1.0", processID: 812, started: .now, origin: origin)
        let statusStore = StatusStore(agent: agent, targets: targets, lastSequence: 41)
        return statusStore.published.status(journal: nil, sockets: nil)
    }

    @Test func `it is the output of the status command, without empty lines and colours`() {
        let lines = StateDump.lines(Self.status(targets: 1))
        #expect(lines.prefix(2).first == "the state, as 'reachagent status --full' shows it:")
        #expect(lines.dropFirst().first == "edge-7  UNKNOWN: the kernel has not answered yet")
        #expect(lines.contains { $0.contains("host-0") })
        #expect(lines.contains("  events        last event #41"))
        #expect(!lines.contains { $0.isEmpty || $0.contains("\u{1B}") || $0.contains("\n") })
    }

    @Test func `a long one stays within its lines, and says how much is left out`() {
        let lines = StateDump.lines(Self.status(targets: 1000))
        #expect(lines.count <= StateDump.maximumLines)
        #expect(lines.contains { $0.contains(" more") }, "\(lines.suffix(20))")
        #expect(lines.count { $0.contains("host-") } < 1000)
    }
}
