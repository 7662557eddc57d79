import AgentTestKit
import CClockStep
import Dispatch
import Glibc
import LinuxSupport
import Synchronization
import Testing

@testable import ReachAgent

@Suite
struct AgentPartTests {
    /// The parts' starts and stops in the order in which they happened.
    private final class Journal: Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }

        func note(_ line: String) { lines.withLock { $0.append(line) } }

        func part(_ name: String) -> AgentPart {
            AgentPart(name: name) { [self] in
                note("start \(name)")
            } stop: { [self] in
                note("stop \(name)")
            }
        }

        /// A part that only the first semaphore lets end, and that signals the other one when its stop has begun.
        func hanging(
            _ name: String,
            until released: DispatchSemaphore,
            begun: DispatchSemaphore? = nil
        ) -> AgentPart {
            AgentPart(name: name) { [self] in
                note("start \(name)")
            } stop: { [self] in
                note("stop \(name)")
                begun?.signal()
                released.wait()
            }
        }
    }

    private struct Refusal: Error {}

    private let journal = Journal()

    @Test func `parts start in order and stop in reverse, each after the one before it has ended`() throws {
        let slow = AgentPart(name: "slow") { [journal] in
            journal.note("start slow")
        } stop: { [journal] in
            journal.note("stop slow")
            for _ in 0..<1000 { sched_yield() }
            journal.note("ended slow")
        }
        let parts = [journal.part("first"), slow, journal.part("last")]
        try parts.start(stoppingWithin: .seconds(60)) { journal.note("late \($0)") }
        parts.stop(within: .seconds(60)) { journal.note("late \($0)") }
        #expect(
            journal.all == [
                "start first", "start slow", "start last", "stop last", "stop slow", "ended slow", "stop first",
            ]
        )
    }

    @Test func `when a part cannot start, earlier parts are stopped and later ones do not start`() {
        let broken = AgentPart(name: "broken") {
            throw Refusal()
        } stop: { [journal] in
            journal.note("stop broken")
        }
        let parts = [journal.part("first"), journal.part("second"), broken, journal.part("last")]
        #expect(throws: Refusal.self) {
            try parts.start(stoppingWithin: .seconds(60)) { journal.note("late \($0)") }
        }
        #expect(journal.all == ["start first", "start second", "stop second", "stop first"])
    }

    @Test func `a part that hangs delays the others until the deadline only, and is named`() throws {
        let released = DispatchSemaphore(value: 0)
        let stopped = DispatchSemaphore(value: 0)
        let first = AgentPart(name: "first") {
        } stop: { [journal] in
            journal.note("stop first")
            stopped.signal()
        }
        let parts = [first, journal.hanging("stuck", until: released), journal.part("last")]
        let start = ContinuousClock.now
        parts.stop(within: .seconds(1)) { journal.note("late \($0)") }
        #expect(start.duration(to: .now) >= .seconds(1))
        // On a busy machine its moment may be over before its thread has run.
        stopped.wait()
        #expect(journal.all.prefix(3) == ["stop last", "stop stuck", "late stuck"])
        #expect(journal.all.contains("stop first"))
        released.signal()
    }

    @Test func `parts that all hang are all stopped within one deadline`() throws {
        let (released, begun) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let names = (1...20).map { "part \($0)" }
        let parts = names.map { journal.hanging($0, until: released, begun: begun) }
        let start = ContinuousClock.now
        parts.stop(within: .seconds(2)) { journal.note("late \($0)") }
        // One deadline for each would be 40 s.
        #expect(start.duration(to: .now) < .seconds(20))
        // On a busy machine the moment of a part may be over before its thread has run.
        for _ in names { #expect(begun.wait(timeout: .now() + 30) == .success) }
        #expect(journal.all.filter { $0.hasPrefix("late") } == names.reversed().map { "late \($0)" })
        #expect(Set(journal.all.filter { $0.hasPrefix("stop") }) == Set(names.map { "stop \($0)" }))
        for _ in names { released.signal() }
    }

    @Test(.enabled(if: reachagent_can_set_clock_back(), "ThreadSanitizer has a sem_timedwait(3) of its own"))
    func `a wall clock that is set back delays no deadline`() async {
        await #expect(processExitsWith: .success) {
            let part = AgentPart(name: "stuck") {
            } stop: {
                DispatchSemaphore(value: 0).wait()
            }
            // The timeout of a group is none of the wall clock.
            let stopped = DispatchGroup()
            stopped.enter()
            reachagent_set_clock_back(3600)
            try NamedThread.start("stop") {
                [part].stop(within: .milliseconds(100)) { _ in }
                stopped.leave()
            }
            #expect(await onThread { stopped.wait(timeout: .now() + 30) == .success })
        }
    }
}
