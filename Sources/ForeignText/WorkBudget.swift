internal import Synchronization

/// The limits of the work that one check may cause: a number of steps and of values, a cancellation, and optionally a
/// deadline.
///
/// Hostile input determines the time to evaluate it, so the evaluation spends steps as it proceeds, and stops when none
/// are left:
///
///     for certificate in candidates {
///         try budget.spend(certificate.bytes.count)
///         …
///     }
///
/// A step is about the time to process one byte (some nanoseconds). The clock is read once every ``slice`` steps, so
/// work that spends as it proceeds ends within a fraction of a millisecond of the deadline or of ``cancel()``. Work
/// that cannot throw calls ``allows(_:)``. The budget keeps the reason; a caller with an unfinished result reads
/// ``exceeded``.
///
/// Safe to use from any thread; all the work of one check shares one budget.
package final class WorkBudget: Sendable {
    /// The reason that the budget is exceeded.
    package enum Exceeded: UInt8, Error, Sendable, Hashable, CustomStringConvertible {
        /// The maximum number of steps was reached.
        case steps = 1
        /// The deadline has passed.
        case deadline
        /// The check was cancelled.
        case cancelled
        /// There are more values than may be kept.
        case values

        /// The reason as a clause.
        package var description: String {
            switch self {
            case .steps: "it takes more steps than a check may"
            case .deadline: "the check's time is up"
            case .cancelled: "the check has ended"
            case .values: "it has more than \(WorkBudget.maximumValues) values"
            }
        }
    }

    /// The number of steps between two readings of the clock.
    package static let slice = 4096

    /// The maximum number of values to read from one body.
    ///
    /// Each value takes tens of bytes of memory, the smallest objects a hundred, and a few bytes of the body.
    package static let maximumValues = 1 << 18

    private let deadline: SuspendingClock.Instant?
    private let steps: Int
    private let stepsLeft: Atomic<Int>
    private let valuesLeft: Atomic<Int>
    private let ending = Atomic<UInt8>(0)

    /// Creates a budget.
    ///
    /// - Parameters:
    ///   - deadline: The end of the work, by a clock that stops while the machine is suspended; nil if ``cancel()`` ends it.
    ///   - steps: The maximum number of steps.
    package init(deadline: SuspendingClock.Instant?, steps: Int, values: Int = maximumValues) {
        self.deadline = deadline
        self.steps = max(0, steps)
        stepsLeft = Atomic(max(0, steps))
        valuesLeft = Atomic(max(0, values))
    }

    /// Returns a budget that ends only by ``cancel()``, for work on the operator's own input.
    package static func unlimited() -> WorkBudget { WorkBudget(deadline: nil, steps: .max, values: .max) }

    /// Takes steps from the budget before they are performed.
    ///
    /// - Throws: ``Exceeded``, the same value from then on.
    package func spend(_ steps: Int = 1) throws(Exceeded) {
        if !allows(steps) { throw exceeded ?? .steps }
    }

    /// Takes steps from the budget before they are performed; returns false once it is exceeded.
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

    /// Takes one value from the budget before it is kept; returns false once there are too many.
    package func allowsValue() -> Bool {
        guard ending.load(ordering: .relaxed) == 0 else { return false }
        if valuesLeft.wrappingSubtract(1, ordering: .relaxed).newValue >= 0 { return true }
        end(.values)
        return false
    }

    /// The number of steps that were taken.
    package var spent: Int { steps &- stepsLeft.load(ordering: .relaxed) }

    /// `true` if the work must stop; reads the clock.
    package var isOver: Bool {
        if ending.load(ordering: .relaxed) != 0 { return true }
        guard let deadline, SuspendingClock().now >= deadline else { return false }
        end(.deadline)
        return true
    }

    /// The reason to stop; nil until it was detected.
    package var exceeded: Exceeded? { Exceeded(rawValue: ending.load(ordering: .relaxed)) }

    /// Stops all work that spends from this budget at its next step.
    package func cancel() { end(.cancelled) }

    private func end(_ reason: Exceeded) {
        _ = ending.compareExchange(expected: 0, desired: reason.rawValue, ordering: .relaxed)
    }
}
