import AgentTestKit
import Foundation
import LinuxSupport
import Synchronization
import Testing

@testable import Probes

@Suite("Threads of targets", .onOwnThread)
struct TargetThreadsTests {
    /// Work that runs until it is let go, and a list of what ran in which order.
    private final class Log: Sendable {
        let names = Mutex<[String]>([])
        func note(_ name: String) { names.withLock { $0.append(name) } }
        var noted: [String] { names.withLock { $0 } }
    }

    private let threads: TargetThreads
    /// Signalled at the end of each thread.
    private let ended: DispatchSemaphore
    private let log = Log()

    init() {
        let ended = DispatchSemaphore(value: 0)
        threads = TargetThreads("test", maximumThreads: 2) { name, body throws(SystemError) in
            try NamedThread.start(name) {
                body()
                ended.signal()
            }
        }
        self.ended = ended
    }

    /// Occupies a thread with a target's work; the closure lets it go.
    private func occupy(_ target: String, budget: WorkBudget = .unlimited()) throws -> () -> Void {
        let (began, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        try threads.submit(for: target, within: budget) {
            began.signal()
            gate.wait()
        }
        began.wait()
        return { gate.signal() }
    }

    private func submit(_ target: String, _ name: String, budget: WorkBudget = .unlimited()) throws {
        try threads.submit(for: target, within: budget) { [log] in log.note(name) }
    }

    /// Runs a last piece of work of a target and waits for it.
    private func waitForTurn(of target: String) throws {
        let done = DispatchSemaphore(value: 0)
        try threads.submit(for: target, within: .unlimited()) { done.signal() }
        done.wait()
    }

    @Test("A target has one thread at a time, and the work of another target bypasses its queue")
    func share() throws {
        let release = try occupy("greedy")
        for number in 0..<5 { try submit("greedy", "greedy \(number)") }
        // It would never come if the greedy target's work took the other thread.
        try waitForTurn(of: "modest")
        #expect(log.noted.isEmpty)
        #expect(threads.waitingCount == 5)
        release()
        try waitForTurn(of: "greedy")
        #expect(log.noted == (0..<5).map { "greedy \($0)" })
        threads.end()
    }

    @Test("Targets take turns")
    func turns() throws {
        let releases = try (0..<2).map { try occupy("busy \($0)") }
        for number in 0..<2 { try submit("a", "a\(number)") }
        try submit("b", "b0")
        #expect(threads.waitingCount == 3)
        // One thread, so that there is one order.
        releases[0]()
        try waitForTurn(of: "a")
        #expect(log.noted == ["a0", "b0", "a1"])
        releases[1]()
        threads.end()
    }

    @Test("Work of a finished check is dropped at once, and that of other checks stays")
    func cancellation() throws {
        let release = try occupy("target")
        let budget = WorkBudget.unlimited()
        try submit("target", "cancelled", budget: budget)
        try submit("target", "kept")
        threads.cancel(budget, of: "target")
        #expect(threads.waitingCount == 1)
        release()
        try waitForTurn(of: "target")
        #expect(log.noted == ["kept"])
        threads.end()
    }

    @Test("Work whose deadline passed in the queue does not start")
    func deadline() throws {
        try submit("target", "too late", budget: WorkBudget(deadline: .now, steps: 1))
        try waitForTurn(of: "target")
        #expect(log.noted.isEmpty)
        threads.end()
    }

    @Test("Nothing starts after the end")
    func end() throws {
        let release = try occupy("target")
        try submit("target", "waiting")
        threads.end()
        let isAccepted = try threads.submit(for: "other", within: .unlimited()) { [log] in log.note("late") }
        #expect(!isAccepted)
        #expect(threads.waitingCount == 0)
        release()
        // The only thread.
        ended.wait()
        #expect(log.noted.isEmpty)
    }

    @Test("Memory is released after costly work, and not after cheap work of the same check")
    func memory() throws {
        let releases = Mutex(0)
        let threads = TargetThreads("test", maximumThreads: 1, release: { releases.withLock { $0 += 1 } })
        let budget = WorkBudget.unlimited()
        for steps in [1, 1 << 20, 1, 1] {
            try threads.submit(for: "target", within: budget) { _ = budget.allows(steps) }
        }
        let done = DispatchSemaphore(value: 0)
        try threads.submit(for: "target", within: budget) { done.signal() }
        done.wait()
        #expect(releases.withLock { $0 } == 1)
        threads.end()
    }

    @Test("Without any thread the work is refused, and the next work retries; without a further one it waits")
    func shortage() throws {
        let attempts = Mutex(0)
        let threads = TargetThreads("test", maximumThreads: 2) { name, body throws(SystemError) in
            let number = attempts.withLock { attempts in
                attempts += 1
                return attempts
            }
            if number == 1 || number == 3 { throw SystemError(errno: EAGAIN) }
            try NamedThread.start(name, body)
        }
        #expect(throws: SystemError(errno: EAGAIN)) { try threads.submit(for: "a", within: .unlimited()) {} }
        #expect(threads.waitingCount == 0)
        let (began, gate, done) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        try threads.submit(for: "a", within: .unlimited()) {
            began.signal()
            gate.wait()
        }
        began.wait()
        try threads.submit(for: "b", within: .unlimited()) { done.signal() }
        #expect(threads.waitingCount == 1)
        gate.signal()
        done.wait()
        #expect(attempts.withLock { $0 } == 3)
        threads.end()
    }
}
