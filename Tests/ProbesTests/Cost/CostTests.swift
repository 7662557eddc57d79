import AgentTestKit
import Testing

@testable import Probes

/// A stranger's bytes decide what a check costs: twice as many may cost about twice as much, and not four times.
///
/// The times are those of the thread's CPU, so other tests and programs do not count; serially and on a thread of its own.
@Suite("The cost of hostile input", .serialized, .onOwnThread)
struct CostTests {
    /// The maximum factor by which the time grows for a doubled input.
    private static let factor = 2.5
    /// The tolerance for clock ticks, cache misses and the first touch of memory, in seconds.
    private static let noise = 0.01
    /// The deadline of the bounded runs.
    private static let deadline = 0.05

    @Test("Twice the input costs about twice the time", arguments: CostCase.linear)
    func growth(of item: CostCase) {
        let sizes = [item.maximum / 4, item.maximum / 2, item.maximum]
        var least = [Double](repeating: .infinity, count: sizes.count)
        // A run that was disturbed is made again; one that is slow by nature stays so.
        for _ in 0..<5 {
            least = zip(least, item.times(sizes, runs: 1)).map { min($0, $1) }
            if zip(least, least.dropFirst()).allSatisfy({ $1 <= Self.factor * $0 + Self.noise }) { return }
        }
        Issue.record("\(item.name): \(least) s for \(sizes) bytes")
    }

    @Test("The deadline ends the evaluation of the largest input", arguments: CostCase.linear + CostCase.bounded)
    func end(of item: CostCase) {
        let input = item.make(item.maximum)
        var least = Double.infinity
        for _ in 0..<5 {
            let budget = WorkBudget(deadline: .now + .seconds(Self.deadline), steps: .max)
            least = min(least, item.seconds(input, budget))
            if least <= Self.deadline + 0.1 { return }
        }
        Issue.record("\(item.name): \(least) s for \(input.count) bytes and a deadline of \(Self.deadline) s")
    }

    @Test("A budget without steps ends every evaluation, with the steps as the reason", arguments: CostCase.bodies)
    func steps(of item: CostCase) {
        let budget = WorkBudget(deadline: nil, steps: WorkBudget.slice)
        item.work(item.make(item.maximum), budget)
        #expect(budget.exceeded == .steps)
    }
}
