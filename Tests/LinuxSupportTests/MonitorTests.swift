import AgentTestKit
import LinuxSupport
import Testing

/// Threads that wait for others.
@Suite struct MonitorTests {
    @Test func `a signal stays until it is taken`() {
        let signal = Monitor(false)
        #expect(!signal.waitForSignal(within: .zero) && !signal.takeSignal(within: .milliseconds(-1)))
        signal.signal()
        signal.signal()
        #expect(signal.waitForSignal() && signal.waitForSignal(within: .zero))
        #expect(signal.takeSignal() && !signal.takeSignal(within: .zero))
    }

    @Test func `a thread waits until another one has met its condition`() async {
        let turns = Monitor(0)
        async let isMet = onThread {
            turns.withLock { $0 = 1 }
            turns.wakeAll()
            return turns.wait(within: .seconds(30)) { $0 == 2 }
        }
        #expect(await onThread { turns.wait(within: .seconds(30)) { $0 == 1 } })
        turns.withLock { $0 = 2 }
        turns.wakeAll()
        #expect(await isMet)
    }
}
