/// The timeout argument of poll(2).
package enum PollTimeout {
    /// Returns the milliseconds until an instant, rounded up so that it has passed when poll(2) returns; -1 for no
    /// timeout.
    package static func milliseconds(until due: ContinuousClock.Instant?) -> Int32 {
        guard let due else { return -1 }
        let left = ContinuousClock.now.duration(to: due)
        guard left > .zero else { return 0 }
        return Int32(clamping: left.components.seconds * 1000 + left.components.attoseconds / 1_000_000_000_000_000 + 1)
    }
}
