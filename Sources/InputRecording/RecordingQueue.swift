internal import Dispatch
internal import Synchronization

/// Inputs on their way from whoever feeds the state machine to the thread that writes them down.
///
/// Bounded: an input that does not fit ends the recording, for a recording with a hole could not be replayed.
final class RecordingQueue: Sendable {
    /// How much may wait (``InputRecord/weight``): at most some hundred megabytes of a machine with many routes.
    static let capacity = 400_000

    struct Entry: Sendable {
        let input: InputRecord
        let sequence: UInt64?
        let weight: Int
    }

    /// What there is to do.
    enum Work: Sendable {
        case inputs([Entry])
        /// Inputs did not fit; everything that came before them has been given out.
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
    func put(_ input: InputRecord, sequence: UInt64?) {
        let weight = input.weight
        change { state in
            guard !state.isFinished, !state.hasOverflowed else { return }
            // An input that is alone is taken whatever it weighs.
            guard state.waiting.isEmpty || weight <= capacity - state.weight else {
                state.hasOverflowed = true
                return
            }
            state.waiting.append(Entry(input: input, sequence: sequence, weight: weight))
            state.weight += weight
        }
    }

    /// Says that nothing more comes.
    func finish() { change { $0.isFinished = true } }

    /// Takes what waits; sleeps without a time-out while there is nothing.
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
