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
        while true {
            let (completions, isIdle) = wheel.withLock { wheel in
                wheel.position = (wheel.position + 1) % wheel.slots.count
                let completions = wheel.slots[wheel.position]
                wheel.slots[wheel.position].removeAll(keepingCapacity: true)
                wheel.underWay -= completions.count
                return (completions, wheel.underWay == 0)
            }
            for completion in completions { completion(report) }
            if isIdle { sem_wait(isNeeded.pointer) } else { usleep(1000) }
        }
    }
}
