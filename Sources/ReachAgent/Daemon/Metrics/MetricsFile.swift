internal import AgentEvents
internal import Glibc
internal import LinuxSupport
internal import Logging

/// The file of metrics for node_exporter's textfile collector, where nothing can scrape the agent.
///
/// Written by a thread of its own after a settled change, or one of the clock, by which the times in it move, and once an
/// hour: without a path no check brings a summary, and the time of an outage would not count before its end. Otherwise the
/// thread sleeps, so that neither a disk nor an idle machine is disturbed. The file is replaced as a whole, and removed at
/// the end, because the metrics of an agent that does not run are wrong; not if it is another's by then.
final class MetricsFile: Sendable {
    /// The minimum time between two writes, or attempts to write.
    private static let interval: Duration = .seconds(60)
    /// The time after which the file is written again although nothing has changed.
    private static let maximumAge: Duration = .seconds(3600)
    /// Readable by every user: another service reads the file.
    private static let mode: mode_t = 0o644

    private struct State {
        /// True if there is something to write; the first known state is.
        var isStale = false
        var isStopping = false
        /// The time of the last attempt.
        var attempted: ContinuousClock.Instant?
    }

    private enum Action {
        case write, end
    }

    private let path: String
    private let interval: Duration
    private let maximumAge: Duration
    private let content: @Sendable () -> [UInt8]
    private let logger = AgentLogger.make()
    private let state = Monitor(State())
    private let hasEnded = Monitor(false)

    /// - Parameters:
    ///   - path: The file, whose directory must be writable: the new file is made beside the old one.
    ///   - interval: The minimum time between two writes, or attempts to write.
    ///   - maximumAge: The time after which the file is written again although nothing has changed.
    ///   - content: Makes the content; called on the thread.
    init(
        path: String,
        interval: Duration = MetricsFile.interval,
        maximumAge: Duration = MetricsFile.maximumAge,
        content: @escaping @Sendable () -> [UInt8]
    ) {
        self.path = path
        self.interval = interval
        self.maximumAge = maximumAge
        self.content = content
    }

    /// Starts writing the file after changes; the first known state counts as a change.
    func start() throws(SystemError) {
        try NamedThread.start("metrics-file") { [self] in
            run()
            hasEnded.signal()
        }
    }

    /// Handles an event, on the thread that publishes it.
    func take(_ event: Event) {
        guard Self.isSettled(event.type) else { return }
        state.withLock { $0.isStale = true }
        state.wakeAll()
    }

    /// Handles a change of the clock: the file may have times of one that was not set yet.
    func takeClockChange() {
        state.withLock { state in
            // The first known state is still to come; it is written by the clock as it is then.
            guard state.attempted != nil else { return }
            state.isStale = true
        }
        state.wakeAll()
    }

    /// Ends the thread, which removes the file.
    ///
    /// - Parameter patience: The maximum time to wait for the disk.
    func stop(within patience: Duration) {
        state.withLock { $0.isStopping = true }
        state.wakeAll()
        hasEnded.waitForSignal(within: patience)
    }

    /// True when the metrics are worth writing again; `probe.summary` keeps counters from growing old.
    private static func isSettled(_ type: EventType) -> Bool {
        [
            .reachabilityChanged, .targetChanged, .uplinkChanged, .probeChanged, .probeSummary, .certificateExpiring,
            .configReloaded, .journalDegraded, .sinkLost,
        ].contains(type)
    }

    // MARK: On the thread

    private func run() {
        var failure: String?
        // Its place may be taken by another agent with the same configuration.
        var written: FileIdentity?
        while next() == .write {
            let reason = write(content(), &written)
            // Logged once for each reason: a full disk stays so for a while.
            if let reason, reason != failure { logger.error("cannot write the metrics file \(path): \(reason)") }
            if reason == nil, failure != nil { logger.notice("the metrics file \(path) is written again") }
            failure = reason
            // On a quiet machine no other change would lead to a retry.
            if reason != nil { state.withLock { $0.isStale = true } }
        }
        removeOwn(written)
    }

    /// Removes the file, unless another process has replaced it since.
    private func removeOwn(_ written: FileIdentity?) {
        guard let written, FileIdentity(at: path) == written else { return }
        unlink(path)
    }

    private func next() -> Action {
        state.wait { state in
            if state.isStopping { return .done(.end) }
            let now = ContinuousClock.now
            if let attempted = state.attempted {
                let due = attempted + (state.isStale ? interval : maximumAge)
                guard due <= now else { return .sleep(now.duration(to: due)) }
            } else if !state.isStale {
                return .sleep(nil)
            }
            (state.isStale, state.attempted) = (false, now)
            return .done(.write)
        }
    }

    /// Replaces the file; returns the error if that fails.
    private func write(_ bytes: [UInt8], _ written: inout FileIdentity?) -> String? {
        do throws(FileError) {
            // The collector reads files that end in `.prom`, which the temporary one does not.
            var file = try FileReplacement(of: path, mode: Self.mode, options: .exactMode)
            try file.write(bytes)
            try file.commit()
            written = file.identity
            return nil
        } catch {
            return error.reason
        }
    }
}
