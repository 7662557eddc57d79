internal import Dispatch
internal import NetlinkMonitor
internal import Synchronization

/// The queue of inputs from the caller of the state machine to the writing thread.
///
/// Bounded: an input that does not fit ends the recording, because a recording with a gap cannot be replayed.
final class RecordingQueue: Sendable {
    /// The maximum total of ``InputRecord/weight``: some hundred megabytes on a machine with many routes.
    static let capacity = 400_000

    struct Entry: Sendable {
        let input: InputRecord
        let sequence: UInt64?
        let published: ObservedTime?
        let weight: Int
    }

    /// The work of the writer.
    enum Work: Sendable {
        case inputs([Entry])
        /// The queue overflowed; all inputs before that were returned.
        case overflow
        case finish
    }

    private struct State {
        var waiting: [Entry] = []
        var weight = 0
        var hasOverflowed = false
        var isFinished = false
        var isAsleep = false
    }

    private let capacity: Int
    private let state = Mutex(State())
    private let wakeUp = DispatchSemaphore(value: 0)

    init(capacity: Int = RecordingQueue.capacity) { self.capacity = capacity }

    /// Adds an input; never waits for the disk.
    func put(_ input: InputRecord, sequence: UInt64?, published: ObservedTime? = nil) {
        let weight = input.weight
        change { state in
            guard !state.isFinished, !state.hasOverflowed else { return }
            // A single input is accepted whatever its weight.
            guard state.waiting.isEmpty || weight <= capacity - state.weight else {
                state.hasOverflowed = true
                return
            }
            state.waiting.append(Entry(input: input, sequence: sequence, published: published, weight: weight))
            state.weight += weight
        }
    }

    /// Marks the end of the inputs.
    func finish() { change { $0.isFinished = true } }

    /// Drops the queued inputs and all later ones: nothing takes them any more.
    func close() { change { $0 = State(isFinished: true) } }

    /// Takes the queued inputs; blocks without a timeout while there are none.
    func take() -> Work {
        while true {
            let work = state.withLock { state -> Work? in
                if !state.waiting.isEmpty {
                    defer {
                        state.waiting = []
                        state.weight = 0
                    }
                    return .inputs(state.waiting)
                }
                if state.hasOverflowed { return .overflow }
                if state.isFinished { return .finish }
                state.isAsleep = true
                return nil
            }
            if let work { return work }
            wakeUp.wait()
        }
    }

    private func change(_ body: (inout State) -> Void) {
        let wakes = state.withLock { state in
            body(&state)
            defer { state.isAsleep = false }
            return state.isAsleep
        }
        if wakes { wakeUp.signal() }
    }
}
