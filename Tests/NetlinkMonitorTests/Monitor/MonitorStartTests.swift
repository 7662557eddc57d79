import AgentTestKit
import Glibc
import Synchronization
import Testing

@testable import NetlinkMonitor

/// Monitors that the process has too few descriptors or threads for.
struct MonitorStartTests {
    @Test(arguments: 0...6 as ClosedRange<UInt>)
    func `a monitor that lacks a descriptor has reported nothing`(_ spare: UInt) async {
        await #expect(processExitsWith: .success) { [spare] in
            let reports = Mutex(0)
            let shortage = try DescriptorShortage(sparing: spare)
            let monitor = try? NetworkMonitor { _ in reports.withLock { $0 += 1 } }
            try shortage.end()
            #expect((monitor != nil) == (reports.withLock { $0 } > 0))
            monitor?.stop()
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can become another user"))
    func `a monitor that lacks its thread has reported nothing`() async {
        await #expect(processExitsWith: .success) {
            let reports = Mutex(0)
            let shortage = try ThreadShortage(sparing: 0)
            #expect(throws: NetlinkError(operation: "start the listener's thread", cause: .errno(EAGAIN))) {
                try NetworkMonitor { _ in reports.withLock { $0 += 1 } }
            }
            #expect(reports.withLock { $0 } == 0)
            try shortage.end()
            let monitor = try NetworkMonitor { _ in reports.withLock { $0 += 1 } }
            #expect(reports.withLock { $0 } > 0)
            monitor.stop()
        }
    }
}
