/// Repeated lookups after a change.
///
/// The kernel announces many removals *in advance*: the message about a deleted IPv4 route, about an address, or about
/// a link going down is sent first, and then the routes are removed. An immediate lookup can still find them, and no
/// further message follows. So stale data is read again shortly after the last message, and once more in case the
/// kernel was delayed. An idle machine is never polled.
///
/// Pure: time is a parameter.
struct Confirmation {
    /// The schedule for data that is read at once, and then confirmed.
    static let ofChanges = Confirmation(pauses: [.milliseconds(2), .milliseconds(50)])
    /// The schedule for a failed router, which is not looked up at once.
    ///
    /// The next packet to it, from a socket or a tunnel that keeps its route, makes the kernel try it again, without a
    /// message. The kernel then selects the same router again, and another one only momentarily: so a failure counts
    /// only if the router was not tried again for a while. All lookups precede the end of the usual settle time.
    static let ofFailedRouters = Confirmation(
        pauses: [.milliseconds(30), .milliseconds(30), .milliseconds(40), .milliseconds(100)]
    )

    private let pauses: [Duration]
    private var doubtful = KernelView.Effects()
    private var attempts = 0
    /// The time of the next lookup; `nil` when none is due.
    private(set) var due: ContinuousClock.Instant?

    private init(pauses: [Duration]) { self.pauses = pauses }

    /// Records the effects of a message.
    mutating func note(_ effects: KernelView.Effects, at now: ContinuousClock.Instant) {
        guard effects.isRelevant, let first = pauses.first else { return }
        doubtful.formUnion(effects)
        attempts = 0
        due = now.advanced(by: first)
    }

    /// Returns the data to read again now; `nil` when none is due.
    mutating func take(at now: ContinuousClock.Instant) -> KernelView.Effects? {
        guard let due, now >= due else { return nil }
        var again = doubtful
        again.isEdge = false
        again.classifies = false
        attempts += 1
        if pauses.indices.contains(attempts) {
            self.due = now.advanced(by: pauses[attempts])
        } else {
            self.due = nil
            doubtful = KernelView.Effects()
        }
        return again
    }
}
