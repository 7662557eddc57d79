import Testing

@testable import Probes

@Suite("The work budget of a check")
struct WorkBudgetTests {
    @Test("Steps are granted until none are left, and then always denied")
    func steps() throws {
        let budget = WorkBudget(deadline: nil, steps: 10)
        try budget.spend(4)
        #expect(budget.allows(6))
        #expect(budget.exceeded == nil)
        #expect(throws: WorkBudget.Exceeded.steps) { try budget.spend() }
        #expect(!budget.allows(0))
        #expect(budget.exceeded == .steps)
    }

    @Test("A deadline is detected within a slice of steps")
    func deadline() {
        let budget = WorkBudget(deadline: .now, steps: .max)
        var steps = 0
        while budget.allows(), steps <= WorkBudget.slice { steps += 1 }
        #expect(steps <= WorkBudget.slice)
        #expect(budget.exceeded == .deadline)
        #expect(WorkBudget(deadline: .now, steps: .max).isOver)
        #expect(!WorkBudget(deadline: .now + .seconds(3600), steps: .max).isOver)
    }

    @Test("A cancellation is detected at the next step, and stays the reason")
    func cancellation() {
        let budget = WorkBudget.unlimited()
        #expect(budget.allows(1 << 40))
        budget.cancel()
        #expect(!budget.allows())
        #expect(budget.isOver)
        #expect(throws: WorkBudget.Exceeded.cancelled) { try budget.spend(.max) }
    }

    @Test("Amounts too large to count exceed the budget, and negative amounts count as nothing")
    func amounts() {
        let budget = WorkBudget(deadline: nil, steps: 100)
        #expect(budget.allows(-5))
        #expect(!budget.allows(.max))
        #expect(!budget.allows(.max))
        #expect(!WorkBudget(deadline: nil, steps: -1).allows())
    }
}
