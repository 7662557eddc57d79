internal import BenchmarkKit
internal import Dispatch
internal import Glibc
internal import Sinks
internal import Synchronization

/// All devices, driven by the thread that measures.
final class Fleet {
    /// The interval at which deadlines are checked; those of a thousand devices would be a queue of their own.
    private static let tick: Duration = .milliseconds(50)
    /// The timeout of a phase.
    private static let patience: Duration = .seconds(300)
    /// The seconds after the last event in which cursors and reports are still due.
    static let settlingSeconds = 12

    private let devices: [Device]
    private let ready: Readiness

    init(devices count: Int, port: UInt16) throws(BenchmarkError) {
        let ready = Readiness()
        self.ready = ready
        do throws(SinkSettingError) {
            var devices: [Device] = []
            for number in 0..<count { devices.append(try Device(number, port: port) { ready.put(number) }) }
            self.devices = devices
        } catch {
            throw BenchmarkError("make a device", cause: "\(error)")
        }
    }

    /// The resource usage of this process.
    var usage: ProcessUsage { ProcessUsage(of: getpid()) }

    /// Adds events to the journal of each device.
    func publish(_ count: Int) { for device in devices { device.publish(count) } }

    /// Runs all devices until a condition holds for each; returns the seconds that it took.
    func waitUntil(_ phase: String, _ holds: (Device) -> Bool) throws(BenchmarkError) -> Double {
        let started = ContinuousClock.now
        var looked = started
        for device in devices { device.turn() }
        while true {
            for number in ready.take(within: Self.tick) { devices[number].turn() }
            let now = ContinuousClock.now
            guard now - looked >= Self.tick else { continue }
            looked = now
            for device in devices { if let due = device.deadline, due <= now { device.turn() } }
            let done = devices.count { holds($0) }
            if done == devices.count { return (ContinuousClock.now - started) / .seconds(1) }
            guard now - started < Self.patience else {
                throw BenchmarkError("wait until \(phase)", cause: "\(done) of \(devices.count) are")
            }
        }
    }

    /// Returns the wake-ups per minute of the libraries' threads while there is nothing to do.
    func wakeUpsAtRest(seconds: Int) -> Double {
        let settled = ContinuousClock.now.advanced(by: .seconds(Self.settlingSeconds))
        while ContinuousClock.now < settled {
            for number in ready.take(within: Self.tick) { devices[number].turn() }
            for device in devices { if let due = device.deadline, due <= .now { device.turn() } }
        }
        let before = usage
        sleep(UInt32(seconds))
        // This thread went to sleep once.
        return Double(max(1, usage.wakeUps(since: before)) - 1) * 60 / Double(seconds)
    }

    /// Closes all connections.
    func stop() { for device in devices { device.stop() } }
}

/// The devices whose transports have pending events.
private final class Readiness: Sendable {
    private let numbers = Mutex<Set<Int>>([])
    private let semaphore = DispatchSemaphore(value: 0)

    func put(_ number: Int) {
        let isFirst = numbers.withLock { numbers in
            defer { numbers.insert(number) }
            return numbers.isEmpty
        }
        if isFirst { semaphore.signal() }
    }

    func take(within time: Duration) -> Set<Int> {
        _ = semaphore.wait(timeout: .now() + time / .seconds(1))
        return numbers.withLock { numbers in
            defer { numbers = [] }
            return numbers
        }
    }
}
