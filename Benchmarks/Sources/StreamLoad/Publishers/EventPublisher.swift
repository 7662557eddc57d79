/// A publisher that delivers events to its subscribers.
protocol EventPublisher {
    /// The number of the newest event.
    var newest: UInt64 { get }

    /// Creates the events up to a number, and publishes them.
    func publish(through last: UInt64) throws

    /// Stops the publisher.
    func stop()
}
