/// The time for which a service may be silent before its manager kills it (sd_watchdog_enabled(3)).
struct WatchdogTimeout: Sendable, Hashable {
    /// The time between two signs of life, at most.
    let duration: Duration

    /// The time that an environment asks of a process; `nil` when it asks for none, or asks another process.
    ///
    /// - Parameters:
    ///   - environment: `WATCHDOG_USEC` is in microseconds; `WATCHDOG_PID` may be missing.
    ///   - process: This process's number.
    init?(in environment: [String: String], of process: Int32) {
        guard let text = environment["WATCHDOG_USEC"], let microseconds = Int64(text), microseconds > 0 else {
            return nil
        }
        if let owner = environment["WATCHDOG_PID"], Int32(owner) != process { return nil }
        duration = .microseconds(microseconds)
    }

    /// The time between two signs of life: half the time-out, as sd_watchdog_enabled(3) recommends.
    var interval: Duration { duration / 2 }
}
