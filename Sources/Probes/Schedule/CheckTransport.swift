public import CheckResults

/// Runs the checks of a scheduler: a ``Prober``, or a stand-in.
public protocol CheckTransport: Sendable {
    /// Starts a check, and returns at once.
    ///
    /// - Parameters:
    ///   - probe: The check to run.
    ///   - completion: Called once, from any thread.
    /// - Returns: A closure that cancels the check at once; it may be called from any thread, and any number of times.
    func start(
        _ probe: Probe,
        completion: @escaping @Sendable (CheckReport) -> Void
    ) -> @Sendable () -> Void
}
