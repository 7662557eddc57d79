/// Who records events.
protocol Recording {
    /// Makes so many events and records them.
    ///
    /// - Returns: how many bytes their lines have.
    @discardableResult
    func record(_ count: Int) throws -> Int

    /// Waits until everything is recorded.
    func finish() throws
}
