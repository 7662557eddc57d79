import AgentTestKit
import Dispatch
import LinuxSupport
import NetlinkMonitor
import Synchronization
import Testing

@testable import ReachAgent

/// The netlink monitor while it is replaced.
struct KernelSourceTests {
    @Test(.timeLimit(.minutes(1)))
    func `a call does not wait for the next monitor's first reading, and is made after it`() async throws {
        let isChanging = Atomic(false)
        let called = Atomic(false)
        let (reading, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let source = KernelSource(MonitorConfiguration()) { _ in
            guard isChanging.load(ordering: .relaxed) else { return }
            reading.signal()
            gate.wait()
        }
        try source.start()
        isChanging.store(true, ordering: .relaxed)
        async let change: Void = onThread {
            try? source.watch(MonitorConfiguration(targets: [.unspecified(.ipv4)]))
        }
        await onThread { reading.wait() }
        source.whenFree { called.store(true, ordering: .relaxed) }
        let isEarly = called.load(ordering: .relaxed)
        #expect(source.isWatching && !isEarly)
        isChanging.store(false, ordering: .relaxed)
        gate.signal()
        await change
        await withCheckedContinuation { next in source.whenFree { next.resume() } }
        let isCalled = called.load(ordering: .relaxed)
        #expect(isCalled)
        source.stop()
        #expect(!source.isWatching)
    }
}
