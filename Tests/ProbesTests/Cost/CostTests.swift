import AgentTestKit
import Testing

@testable import Probes

/// A stranger's bytes decide what a check costs: twice as many may cost about twice as much, and not four times.
///
/// The times are those of the thread's CPU, so other tests and programs do not count; serially and on a thread of its own.
@Suite("The cost of hostile input", .serialized, .onOwnThread)
struct CostTests {
    /// The deadline of the bounded runs.
    private static let deadline = 0.05

    @Test("Twice the input costs about twice the time", arguments: CostCase.linear)
    func growth(of item: CostCase) {
        let inputs = [item.maximum / 4, item.maximum / 2, item.maximum].map(item.make)
        let growth = CostGrowth.measure(inputs.count, noise: 0.01) { item.seconds(inputs[$0], .unlimited()) }
        #expect(growth.isLinear, "\(item.name): \(growth), for \(inputs.map(\.count)) bytes")
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
