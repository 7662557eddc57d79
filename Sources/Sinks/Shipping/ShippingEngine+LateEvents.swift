// Events that the broker passed over: a cluster without a leader drops some of what is in flight, and a stream that is
// full takes a small event behind a large one. They are sent late, and from then on the broker's newest event is no
// longer the one with the highest number.
extension ShippingEngine {
    /// Finds out which late events have arrived, and returns the position that counts.
    mutating func settleLateEvents(_ stored: StreamPosition) -> StreamPosition {
        guard let late, stored.epoch == late.position.epoch else { return stored }
        // They were sent in order, and before everything else.
        if late.numbers.contains(stored.sequence) {
            lacking.removeAll { $0.isLate && $0.state == .sent && $0.message.sequence <= stored.sequence }
            lacking.removeAll { $0.message.sequence == stored.sequence }
            return late.position
        }
        if stored.sequence > late.position.sequence { lacking.removeAll { $0.isLate && $0.state == .sent } }
        return stored
    }

    /// Puts the events that the broker passed over in front of the others.
    mutating func sendLate(behind base: StreamPosition) {
        let passedOver = lacking.filter {
            $0.message.sequence <= base.sequence && $0.message.id == base.epoch.id(of: $0.message.sequence)
        }
        lacking = []
        for var entry in passedOver {
            (entry.state, entry.isLate) = (.waiting, true)
            queue.append(entry)
        }
        if let former = late, former.position != base { late = nil }
        guard !passedOver.isEmpty else { return }
        let numbers = (late?.numbers ?? []) + passedOver.map(\.message.sequence)
        late = LateEvents(numbers: Array(Set(numbers).sorted().suffix(ShippingQueue.maximumCount)), position: base)
    }
}
