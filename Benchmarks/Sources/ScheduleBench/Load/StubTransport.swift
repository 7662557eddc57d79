internal import FoundationEssentials
internal import Glibc
internal import Probes
internal import Synchronization

/// Ends every check well, 1 to 50 ms after it began, on one thread.
///
/// The thread goes through a wheel of milliseconds while checks are under way, and sleeps while there are none.
final class StubTransport: CheckTransport {
    private typealias Completion = @Sendable (CheckReport) -> Void

    private struct Wheel {
        var slots = [[Completion]](repeating: [], count: 64)
        var position = 0
        var underWay = 0
        var random = SystemRandomNumberGenerator()

        /// Takes what has ended after so many milliseconds, and tells how many there are to the next look.
        ///
        /// A check that is alone is slept over in one go, so that nothing but its end wakes the process up.
        mutating func turn(by step: Int) -> (completions: [Completion], pause: Int?) {
            var completions: [Completion] = []
            for _ in 0..<step {
                position = (position + 1) % slots.count
                completions += slots[position]
                slots[position].removeAll(keepingCapacity: true)
            }
            underWay -= completions.count
            guard underWay <= 1 else { return (completions, 1) }
            let distance = (1...slots.count).first { !slots[(position + $0) % slots.count].isEmpty }
            return (completions, distance)
        }
    }

    /// Sendable by hand: a semaphore is made for sharing.
    private final class Semaphore: @unchecked Sendable {
        let pointer = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
        init() { sem_init(pointer, 0, 0) }
    }

    private let wheel = Mutex(Wheel())
    private let isNeeded = Semaphore()

    init() { Thread.start { [self] in turn() } }

    func start(_ probe: Probe, completion: @escaping @Sendable (CheckReport) -> Void) -> @Sendable () -> Void {
        let isFirst = wheel.withLock { wheel in
            let slot = (wheel.position + Int.random(in: 1...50, using: &wheel.random)) % wheel.slots.count
            wheel.slots[slot].append(completion)
            wheel.underWay += 1
            return wheel.underWay == 1
        }
        if isFirst { sem_post(isNeeded.pointer) }
        return {}
    }

    private func turn() {
        let report = CheckReport(
            target: "",
            verdict: .ok,
            findings: [],
            hops: [],
            started: Date(timeIntervalSince1970: 0),
            duration: .zero
        )
        var step = 1
        while true {
            let (completions, pause) = wheel.withLock { $0.turn(by: step) }
            for completion in completions { completion(report) }
            guard let pause else {
                sem_wait(isNeeded.pointer)
                step = 1
                continue
            }
            step = pause
            usleep(UInt32(pause) * 1000)
        }
    }
}
