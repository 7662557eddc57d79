internal import Synchronization

/// The limits of the work that one check may cause: a deadline, a number of steps, and a cancellation.
///
/// Bytes of a stranger's decide how long it takes to judge them, so whatever judges them spends steps as it goes on, and
/// stops when there are none left:
///
///     for certificate in candidates {
///         try budget.spend(certificate.bytes.count)
///         …
///     }
///
/// A step is about the time in which a byte is looked at (some nanoseconds). The clock is read once in ``slice`` steps, so
/// work that spends as it goes on ends within a fraction of a millisecond of the deadline or of ``cancel()``. Work that
/// cannot throw asks ``allows(_:)``. The budget remembers why it ended: who gets an unfinished result asks ``exceeded``.
///
/// Safe from any thread; the pieces of work of one check share one budget.
package final class WorkBudget: Sendable {
    /// Why there is nothing left to spend.
    package enum Exceeded: UInt8, Error, Sendable, Hashable, CustomStringConvertible {
        /// The work took more steps than it may.
        case steps = 1
        /// The check's time is up.
        case deadline
        /// The check is over.
        case cancelled

        /// The reason as a clause.
        package var description: String {
            switch self {
            case .steps: "it takes more steps than a check may"
            case .deadline: "the check's time is up"
            case .cancelled: "the check is over"
            }
        }
    }

    /// The number of steps between two looks at the clock.
    package static let slice = 4096

    private let deadline: SuspendingClock.Instant?
    private let stepsLeft: Atomic<Int>
    private let ending = Atomic<UInt8>(0)

    /// Creates a budget.
    ///
    /// - Parameters:
    ///   - deadline: The end of the check by the clock of its timeout, which stands still while the machine is suspended.
    ///   - steps: The number of steps.
    package init(deadline: SuspendingClock.Instant?, steps: Int) {
        self.deadline = deadline
        stepsLeft = Atomic(max(0, steps))
    }

    /// A budget that ends only by ``cancel()``, for work on what the operator gave.
    package static func unlimited() -> WorkBudget { WorkBudget(deadline: nil, steps: .max) }

    /// Takes steps from the budget before they are made.
    ///
    /// - Throws: ``Exceeded``, and from then on always the same.
    package func spend(_ steps: Int = 1) throws(Exceeded) {
        if !allows(steps) { throw exceeded ?? .steps }
    }

    /// Takes steps from the budget before they are made; false, from then on always, when it is exceeded.
    package func allows(_ steps: Int = 1) -> Bool {
        guard ending.load(ordering: .relaxed) == 0 else { return false }
        let (before, left) = stepsLeft.wrappingSubtract(max(0, steps), ordering: .relaxed)
        guard left >= 0 else {
            end(.steps)
            return false
        }
        // Reading the clock costs more than a step.
        return before / Self.slice == left / Self.slice || !isOver
    }

    /// Whether the work is to stop; reads the clock.
    package var isOver: Bool {
        if ending.load(ordering: .relaxed) != 0 { return true }
        guard let deadline, SuspendingClock().now >= deadline else { return false }
        end(.deadline)
        return true
    }

    /// Why the work is to stop; nil as long as nobody has noticed that it is.
    package var exceeded: Exceeded? { Exceeded(rawValue: ending.load(ordering: .relaxed)) }

    /// Ends all work that spends from this budget, at its next step.
    package func cancel() { end(.cancelled) }

    private func end(_ reason: Exceeded) {
        _ = ending.compareExchange(expected: 0, desired: reason.rawValue, ordering: .relaxed)
    }
}
