import AgentTestKit
import Foundation
import Synchronization
import Testing

@testable import Probes

@Suite("Evaluation threads", .onOwnThread)
struct EvaluationThreadsTests {
    /// Work that runs until it is let go, and a list of what ran in which order.
    private final class Log: Sendable {
        let names = Mutex<[String]>([])
        func note(_ name: String) { names.withLock { $0.append(name) } }
        var noted: [String] { names.withLock { $0 } }
    }

    private let threads = EvaluationThreads()
    private let log = Log()

    /// Occupies a thread with a target's work; the closure lets it go.
    private func occupy(_ target: String, budget: WorkBudget = .unlimited()) -> () -> Void {
        let (began, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        threads.submit(for: target, within: budget) {
            began.signal()
            gate.wait()
        }
        began.wait()
        return { gate.signal() }
    }

    private func submit(_ target: String, _ name: String, budget: WorkBudget = .unlimited()) {
        threads.submit(for: target, within: budget) { [log] in log.note(name) }
    }

    /// Runs a last piece of work of a target and waits for it.
    private func waitForTurn(of target: String) {
        let done = DispatchSemaphore(value: 0)
        threads.submit(for: target, within: .unlimited()) { done.signal() }
        done.wait()
    }

    @Test("A target has one thread at a time, and the work of another target bypasses its queue")
    func share() {
        let release = occupy("greedy")
        for number in 0..<5 { submit("greedy", "greedy \(number)") }
        // It would never come if the greedy target's work took the other thread.
        waitForTurn(of: "modest")
        #expect(log.noted.isEmpty)
        #expect(threads.waitingCount == 5)
        release()
        waitForTurn(of: "greedy")
        #expect(log.noted == (0..<5).map { "greedy \($0)" })
        threads.end()
    }

    @Test("Targets take turns")
    func turns() {
        let releases = (0..<EvaluationThreads.count).map { occupy("busy \($0)") }
        for number in 0..<2 { submit("a", "a\(number)") }
        submit("b", "b0")
        #expect(threads.waitingCount == 3)
        // One thread, so that there is one order.
        releases[0]()
        waitForTurn(of: "a")
        #expect(log.noted == ["a0", "b0", "a1"])
        releases[1]()
        threads.end()
    }

    @Test("Work of a finished check is dropped at once, and that of other checks stays")
    func cancellation() {
        let release = occupy("target")
        let budget = WorkBudget.unlimited()
        submit("target", "cancelled", budget: budget)
        submit("target", "kept")
        threads.cancel(budget, of: "target")
        #expect(threads.waitingCount == 1)
        release()
        waitForTurn(of: "target")
        #expect(log.noted == ["kept"])
        threads.end()
    }

    @Test("Work whose deadline passed in the queue does not start")
    func deadline() {
        submit("target", "too late", budget: WorkBudget(deadline: .now, steps: 1))
        waitForTurn(of: "target")
        #expect(log.noted.isEmpty)
        threads.end()
    }

    @Test("Nothing starts after the end")
    func end() {
        let release = occupy("target")
        submit("target", "waiting")
        threads.end()
        let isAccepted = threads.submit(for: "other", within: .unlimited()) { [log] in log.note("late") }
        #expect(!isAccepted)
        #expect(threads.waitingCount == 0)
        release()
        #expect(log.noted.isEmpty)
    }
}
