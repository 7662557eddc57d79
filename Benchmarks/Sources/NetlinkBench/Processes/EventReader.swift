internal import CTestbed
internal import Dispatch
internal import Glibc
internal import Synchronization

/// Reads a listener's output on a thread of its own, and timestamps the events that report an edge.
///
/// The thread blocks in read(2) and reads the clock directly afterwards, before it examines the bytes.
final class EventReader: Sendable {
    /// The framing of events in the output.
    enum Framing: Sendable {
        case lines
        /// Each read is one event: a netlink socket.
        case datagrams
    }

    /// A function that returns the direction of the edge in an event, `true` for up; `nil` if the event has no edge.
    typealias Recognizer = @Sendable (UnsafeRawBufferPointer) -> Bool?

    private struct Sighting {
        let time: UInt64
        let isUp: Bool
    }

    private let sightings = Mutex<[Sighting]>([])
    private let arrivals = DispatchSemaphore(value: 0)

    /// Takes ownership of the descriptor, and reads it to its end.
    init(descriptor: Int32, framing: Framing, recognizer: @escaping Recognizer) {
        let thread = DispatchQueue(label: "netlink-bench.reader")
        thread.async { [weak self] in
            var buffer = LineBuffer()
            reading: while true {
                let filled = buffer.fill(from: descriptor)
                guard let self else { break }
                switch (filled, framing) {
                case (.bytes(let time), .lines): buffer.forEachLine { self.look(at: $0, time, recognizer) }
                case (.bytes(let time), .datagrams): buffer.takeAll { self.look(at: $0, time, recognizer) }
                case (.nothing, _): continue
                case (.end, _): break reading
                }
            }
            close(descriptor)
        }
    }

    private func look(at event: UnsafeRawBufferPointer, _ time: UInt64, _ recognizer: Recognizer) {
        guard let isUp = recognizer(event) else { return }
        sightings.withLock { $0.append(Sighting(time: time, isUp: isUp)) }
        arrivals.signal()
    }

    /// Waits for an edge to this state, and skips others.
    ///
    /// - Returns: The CLOCK_MONOTONIC time at which it was read; `nil` if it did not arrive in time.
    func waitForEdge(isUp: Bool, milliseconds: Int) -> UInt64? {
        let deadline = DispatchTime.now() + .milliseconds(milliseconds)
        while arrivals.wait(timeout: deadline) == .success {
            let sighting = sightings.withLock { $0.removeFirst() }
            if sighting.isUp == isUp { return sighting.time }
        }
        return nil
    }

    /// Discards all edges so far.
    func forget() {
        while arrivals.wait(timeout: .now()) == .success { sightings.withLock { _ = $0.removeFirst() } }
    }
}
