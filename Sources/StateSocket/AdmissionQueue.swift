internal import NIOCore

/// Accepted connections of other hosts, which leave in turn between hosts and at a limited rate.
///
/// A TLS handshake costs about a millisecond on the thread that also serves all other clients; a flood of handshakes
/// may take a tenth of its time.
struct AdmissionQueue<Element> {
    /// The maximum number of connections that leave in a burst.
    private static var burst: Int { 64 }
    /// The time between two connections after a burst.
    private static var interval: TimeAmount { .milliseconds(10) }

    private var waiting = FairQueue<Element>()
    /// The time from which the next connection may leave.
    private var due = NIODeadline.uptimeNanoseconds(0)

    /// The time at which the next connection may leave; `nil` if none waits.
    var nextTime: NIODeadline? { waiting.isEmpty ? nil : due }

    /// Adds a connection after its host's others.
    mutating func add(_ element: Element, of host: RemoteHost) { waiting.add(element, of: .host(host)) }

    /// Takes the next connection, if the rate allows one.
    mutating func next(at now: NIODeadline) -> Element? {
        guard due <= now, let element = waiting.next() else { return nil }
        due = max(due, now - Self.interval * (Self.burst - 1)) + Self.interval
        return element
    }

    /// Takes a connection that cannot be admitted any more.
    mutating func removeNext() -> Element? { waiting.next() }
}
