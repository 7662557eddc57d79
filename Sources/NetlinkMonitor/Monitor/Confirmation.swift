/// A second and a third look after each change.
///
/// The kernel announces much of what it removes *before* it has removed it: the message of a deleted IPv4 route, of an
/// address, or of a link going down is sent first, and then the routes go. A lookup that follows at once can still find
/// them, and no further message would tell. So what a message made stale is looked at again shortly after the last one,
/// and once more for a kernel that was held up. An idle machine is not looked at.
///
/// Pure: time comes in as a parameter.
struct Confirmation {
    private static let pauses: [Duration] = [.milliseconds(2), .milliseconds(50)]

    private var doubtful = KernelView.Effects()
    private var looks = 0
    /// When the next look is due; `nil` when none is.
    private(set) var due: ContinuousClock.Instant?

    /// A message made something stale.
    mutating func note(_ effects: KernelView.Effects, at now: ContinuousClock.Instant) {
        guard effects.isRelevant else { return }
        doubtful.formUnion(effects)
        looks = 0
        due = now.advanced(by: Self.pauses[0])
    }

    /// What is to be looked at again now; `nil` when it is not time.
    mutating func take(at now: ContinuousClock.Instant) -> KernelView.Effects? {
        guard let due, now >= due else { return nil }
        var again = doubtful
        again.isEdge = false
        again.classifies = false
        looks += 1
        if Self.pauses.indices.contains(looks) {
            self.due = now.advanced(by: Self.pauses[looks])
        } else {
            self.due = nil
            doubtful = KernelView.Effects()
        }
        return again
    }
}
