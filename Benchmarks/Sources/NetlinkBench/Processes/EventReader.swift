internal import CTestbed
internal import Dispatch
internal import Glibc
internal import Synchronization

/// Reads a listener's output on a thread of its own, and stamps what shows an edge.
///
/// The thread sleeps in read(2) and takes the time directly afterwards, before it looks at the bytes.
final class EventReader: Sendable {
    /// How the output is cut into events.
    enum Framing: Sendable {
        case lines
        /// Each read is one event: a netlink socket.
        case datagrams
    }

    /// Looks at one event; says whether it shows an edge, and which way.
    typealias Recognizer = @Sendable (UnsafeRawBufferPointer) -> Bool?

    private struct Sighting {
        let time: UInt64
        let isUp: Bool
    }

    private let sightings = Mutex<[Sighting]>([])
    private let arrivals = DispatchSemaphore(value: 0)

    /// Takes over the descriptor, and reads it until its end.
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
    /// - Returns: when it was seen; `nil` when it did not come in time.
    func waitForEdge(isUp: Bool, milliseconds: Int) -> UInt64? {
        let deadline = DispatchTime.now() + .milliseconds(milliseconds)
        while arrivals.wait(timeout: deadline) == .success {
            let sighting = sightings.withLock { $0.removeFirst() }
            if sighting.isUp == isUp { return sighting.time }
        }
        return nil
    }

    /// Forgets what has come so far.
    func forget() {
        while arrivals.wait(timeout: .now()) == .success { sightings.withLock { _ = $0.removeFirst() } }
    }
}
