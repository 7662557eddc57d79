/// A recorder of events.
protocol Recording {
    /// Creates a number of events, and records them.
    ///
    /// - Returns: The number of bytes of their lines.
    @discardableResult
    func record(_ count: Int) throws -> Int

    /// Waits until all events are recorded.
    func finish() throws
}
