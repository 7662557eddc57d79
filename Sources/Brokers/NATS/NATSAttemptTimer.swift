/// The interruptions of an attempt to connect, whose timeout counts for each address of the server's name.
///
/// An interrupted libnats continues with the next address, until one has accepted the connection.
struct NATSAttemptTimer: Sendable {
    /// The start of the attempt to connect to the current address.
    private(set) var start: ContinuousClock.Instant
    /// True after the first interruption.
    private(set) var wasInterrupted = false
    private var wasConnected = false

    /// Creates a timer for the first address.
    init(at start: ContinuousClock.Instant) { self.start = start }

    /// Records an interruption.
    ///
    /// - Parameter isConnected: True if an address has accepted the connection.
    /// - Returns: True if the connection has to be shut down too.
    mutating func interrupt(at now: ContinuousClock.Instant, isConnected: Bool) -> Bool {
        wasInterrupted = true
        // The connection may be another thread's, so the interruption alone comes first.
        if wasConnected { return true }
        if isConnected { wasConnected = true } else { start = now }
        return false
    }
}
