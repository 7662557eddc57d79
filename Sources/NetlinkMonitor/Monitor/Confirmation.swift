/// Further looks after a change.
///
/// The kernel announces much of what it removes *before* it has removed it: the message of a deleted IPv4 route, of an
/// address, or of a link going down is sent first, and then the routes go. A lookup that follows at once can still find
/// them, and no further message would tell. So what a message made stale is looked at again shortly after the last one,
/// and once more for a kernel that was held up. An idle machine is not looked at.
///
/// Pure: time comes in as a parameter.
struct Confirmation {
    /// For what is looked into at once, and then confirmed.
    static let ofChanges = Confirmation(pauses: [.milliseconds(2), .milliseconds(50)])
    /// For a router that failed, which is not looked into before.
    ///
    /// The next packet to it, from a socket or a tunnel that keeps its route, has the kernel try it again, without a
    /// message. Then the choice falls on the same router again, and on another one only for the moments between: so a
    /// failure counts once the router was left alone for a while. All looks come before the usual settle time ends.
    static let ofFailedRouters = Confirmation(
        pauses: [.milliseconds(30), .milliseconds(30), .milliseconds(40), .milliseconds(100)]
    )

    private let pauses: [Duration]
    private var doubtful = KernelView.Effects()
    private var looks = 0
    /// When the next look is due; `nil` when none is.
    private(set) var due: ContinuousClock.Instant?

    private init(pauses: [Duration]) { self.pauses = pauses }

    /// A message made something stale.
    mutating func note(_ effects: KernelView.Effects, at now: ContinuousClock.Instant) {
        guard effects.isRelevant, let first = pauses.first else { return }
        doubtful.formUnion(effects)
        looks = 0
        due = now.advanced(by: first)
    }

    /// What is to be looked at again now; `nil` when it is not time.
    mutating func take(at now: ContinuousClock.Instant) -> KernelView.Effects? {
        guard let due, now >= due else { return nil }
        var again = doubtful
        again.isEdge = false
        again.classifies = false
        looks += 1
        if pauses.indices.contains(looks) {
            self.due = now.advanced(by: pauses[looks])
        } else {
            self.due = nil
            doubtful = KernelView.Effects()
        }
        return again
    }
}
