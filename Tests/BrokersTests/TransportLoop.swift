import AgentTestKit
import Brokers
import Foundation
import Glibc
import LinuxSupport
import Sinks

/// Drives a transport as the sink's thread does: sleeps until its descriptor, its deadline or a wake-up, and asks it.
final class TransportLoop {
    /// The reason that an event did not come.
    struct Missing: Error, CustomStringConvertible {
        let description: String
    }

    /// The transport.
    let transport: any SinkTransport
    /// The number of times that the loop has been woken.
    private(set) var wakes = 0

    private let wakeup: Wakeup
    private var waiting: [TransportEvent] = []

    /// A loop around a transport that is made with the closure to wake it.
    init(_ make: (@escaping @Sendable () -> Void) throws -> any SinkTransport) throws {
        let wakeup = try Wakeup()
        self.wakeup = wakeup
        transport = try make { wakeup.signal() }
    }

    /// The next event.
    ///
    /// - Throws: ``Missing`` when none comes.
    func next(within patience: Duration = .seconds(30)) throws -> TransportEvent {
        let end = ContinuousClock.now + patience
        while waiting.isEmpty {
            guard .now < end else { throw Missing(description: "the transport says nothing") }
            turn(until: end)
        }
        return waiting.removeFirst()
    }

    /// The next event, which must be the beginning of a connection.
    @discardableResult
    func connect() throws -> StoredPosition? {
        transport.connect()
        let event = try next()
        guard case .connected(let newest) = event else {
            throw Missing(description: "expected a connection, got \(event)")
        }
        return newest
    }

    /// The next event, which must be the end of the connection.
    func nextFailure() throws -> TransportFailure {
        let event = try next()
        guard case .disconnected(let failure) = event else {
            throw Missing(description: "expected an end, got \(event)")
        }
        return failure
    }

    /// The numbers of the next acknowledgements.
    func acknowledgements(_ count: Int) throws -> [UInt64] {
        try (0..<count).map { _ in
            let event = try next()
            guard case .acknowledged(let number) = event else {
                throw Missing(description: "expected an acknowledgement, got \(event)")
            }
            return number
        }
    }

    /// True when nothing is to be done before an instant.
    func isIdle(until end: ContinuousClock.Instant) -> Bool {
        var entry = pollfd(fd: transport.descriptor ?? -1, events: Int16(POLLIN), revents: 0)
        return transport.takeEvents().isEmpty && !transport.wantsToWrite && transport.deadline.map { $0 >= end } ?? true
            && poll(&entry, 1, 0) == 0
    }

    /// Publishes an event and waits for the answer: the broker has then seen everything before it, and answered.
    func roundTrip() throws {
        transport.publish(mqttMessage(9_999, topic: "reachagent/edge7/round.trip"))
        guard try next() == .acknowledged(9_999) else { throw Missing(description: "the event was not acknowledged") }
    }

    private func turn(until end: ContinuousClock.Instant) {
        let events = POLLIN | (transport.wantsToWrite ? POLLOUT : 0)
        let deadline = min(transport.deadline ?? end, end)
        let reason = wakeup.sleep(untilReady: transport.descriptor ?? -1, for: Int32(events), deadline: deadline)
        if reason == .woken { wakeup.reset() }
        wakes += 1
        waiting += transport.takeEvents()
    }
}

/// The number of this process's connections to a port of the loopback (IPv4).
func connections(to port: UInt16) -> Int {
    let own = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return own.count { name in
        guard let descriptor = Int32(name) else { return false }
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &length) }
        }
        return result == 0 && address.sin_family == AF_INET && UInt16(bigEndian: address.sin_port) == port
    }
}
