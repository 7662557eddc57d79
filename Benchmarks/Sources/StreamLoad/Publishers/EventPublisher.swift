/// Who hands events to its subscribers.
protocol EventPublisher {
    /// The number of the newest event.
    var newest: UInt64 { get }

    /// Makes the events up to a number and hands them on.
    func publish(through last: UInt64) throws

    /// Ends.
    func stop()
}
