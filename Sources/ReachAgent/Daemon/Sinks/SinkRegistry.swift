internal import AgentEvents
internal import EventJournal
internal import LinuxSupport
internal import Sinks
internal import Synchronization

/// The sinks as the agent knows them: their settings, their reports and their losses.
///
/// It knows no brokers: a separate program ships the events, and reports on the control socket.
final class SinkRegistry: Sendable {
    private struct State {
        var sinks: [SinkSettings] = []
        var reports: [String: Report] = [:]
        var isActive = false
        /// True if the file lacks the settings, which the next reload hands over again.
        var needsDocument = false
    }

    /// The last report of a sink.
    private struct Report {
        let status: SinkStatus
        let process: ProcessIdentity?
        /// The time at which the next one is overdue; `nil` while none is awaited.
        var due: ContinuousClock.Instant?
        /// `true` if the next one was overdue.
        var isOverdue = false

        /// `true` if the sink may have shipped more than the report says, and reports it.
        var isShipping: Bool { !isOverdue && status.state != .waiting && process?.hasEnded != true }
    }

    /// The maximum time to wait for a report: while a sink ships there is one every 10 s, and a broker that does not answer
    /// for 30 s is disconnected.
    private static let patience: Duration = .seconds(60)

    private let journal: EventJournal?
    private let newest: @Sendable () -> UInt64
    private let document: SinkDocumentFile?
    private let writer: SinkProgressWriter
    private let wake: @Sendable () -> Void
    private let logger = AgentLogger.make()
    private let state: Mutex<State>

    /// Creates a registry, which is idle before ``start()``.
    ///
    /// - Parameters:
    ///   - sinks: The configured sinks.
    ///   - stream: The stream of the agent's numbers.
    ///   - newest: The number of the newest event.
    ///   - document: The file in which the settings are handed over; `nil` without sockets.
    ///   - wake: Called when ``step(at:)`` must be called earlier than it returned.
    ///   - publish: Publishes `sink.lost`, and returns its number; `nil` when it has none yet.
    init(
        _ sinks: [SinkSettings],
        journal: EventJournal?,
        stream: String,
        newest: @escaping @Sendable () -> UInt64,
        document: SinkDocumentFile?,
        wake: @escaping @Sendable () -> Void,
        publish: @escaping @Sendable (SinkLoss) -> UInt64?
    ) {
        self.journal = journal
        self.newest = newest
        self.document = document
        self.wake = wake
        writer = SinkProgressWriter(in: journal, stream: stream, publish: publish)
        state = Mutex(State(sinks: sinks))
    }

    // MARK: Settings

    /// Hands over the settings, and starts to follow the journal's removals.
    func start() {
        let sinks = state.withLock { state in
            state.isActive = true
            return state.sinks
        }
        apply(sinks)
    }

    /// Applies other settings; must be called before their event is published, so that its readers find the new file.
    func configure(_ sinks: [SinkSettings]) {
        let isDue = state.withLock { state in
            guard state.sinks != sinks || state.needsDocument else { return false }
            let former = Dictionary(state.sinks.map { ($0.name, $0.target) }) { first, _ in first }
            let same = Set(sinks.filter { $0.target == former[$0.name] }.map(\.name))
            state.reports = state.reports.filter { same.contains($0.key) }
            state.sinks = sinks
            return state.isActive
        }
        if isDue { apply(sinks) }
    }

    /// Keeps the progress for the next start.
    ///
    /// - Parameter patience: The maximum time to wait for the disk.
    func stop(within patience: Duration) {
        journal?.whenRemoved(nil)
        state.withLock { $0.isActive = false }
        writer.finish(within: patience)
    }

    private func apply(_ sinks: [SinkSettings]) {
        let next = newest() + 1
        writer.change { [journal] in $0.configure(sinks, oldest: journal?.oldestSequence ?? next) }
        if sinks.isEmpty { journal?.whenRemoved(nil) } else { journal?.whenRemoved { [weak self] in self?.notice() } }
        journal?.noteRemovals()
        handOver(sinks)
    }

    /// Hands over the settings again if something has removed their file.
    func restoreDocument() {
        let sinks = state.withLock { $0.isActive ? $0.sinks : [] }
        guard !sinks.isEmpty, let document, !document.exists else { return }
        if handOver(sinks) { logger.warning("\(document.path) was missing, and is written again") }
    }

    /// Writes the settings for `reachagent-sink`; `false` if they cannot be written.
    @discardableResult
    private func handOver(_ sinks: [SinkSettings]) -> Bool {
        let failure = document?.write(sinks)
        state.withLock { $0.needsDocument = failure != nil }
        if let failure { logger.error("cannot hand over the sinks: \(failure); retry with 'reachagent reload'") }
        return failure == nil
    }

    // MARK: Reports

    /// Handles a report; one about another target than the sink's changes nothing, because it was sent before a reload.
    ///
    /// - Parameter process: The process that reports, by which the agent knows whether it still runs.
    /// - Returns: `false` when there is no such sink.
    func take(_ report: SinkReport, from process: Int32?) -> Bool {
        let identity = process.map { ProcessIdentity(of: $0) }
        let isKnown = state.withLock { state in
            guard state.isActive, let sink = state.sinks.first(where: { $0.name == report.status.name }) else {
                return false
            }
            if report.target == sink.target {
                state.reports[sink.name] = Report(status: report.status, process: identity)
            }
            return true
        }
        guard isKnown else { return false }
        let (oldest, newest, name) = (journal?.oldestSequence ?? 0, newest(), report.status.name)
        let isUnsettled = writer.change { progress in
            // Compared here, because a reload may have happened since.
            guard progress.entries[name]?.target == report.target else { return false }
            let isOfStream = report.stream == progress.stream
            if let loss = report.lost {
                if loss.code != SinkLoss.expired {
                    _ = progress.refuse(loss, newest: newest)
                } else if isOfStream {
                    _ = progress.expire(loss, before: oldest, newest: newest)
                }
            }
            if isOfStream, let acknowledged = report.status.acknowledged {
                progress.acknowledge(acknowledged, at: report.status.acknowledgedTime, by: name, newest: newest)
            }
            return progress.unsettled(before: oldest)[name] != nil
        }
        if isUnsettled { journal?.noteRemovals() }
        return true
    }

    /// Detects events that leave the journal unsent; on the journal's thread, because it reads them.
    private func notice() {
        let sinks = state.withLock { $0.isActive ? $0.sinks : [] }
        guard !sinks.isEmpty, let journal, let oldest = journal.oldestSequence else { return }
        let progress = writer.progress
        let unsettled = progress.unsettled(before: oldest)
        guard !unsettled.isEmpty else { return }
        let unread = progress.unread(before: oldest)
        var ranges: [String: (filter: Sinks.EventFilter, after: UInt64)] = [:]
        for sink in sinks {
            if let after = unread[sink.name] { ranges[sink.name] = (Sinks.EventFilter(sink.types), after) }
        }
        let selected = SelectedEvents.read(ranges, through: oldest - 1, in: journal.configuration.directory)
        let shipping = awaitReports(of: Set(unsettled.keys))
        let newest = newest()
        writer.change { _ = $0.remove(before: oldest, newest: newest, selected: selected, except: shipping) }
    }

    /// Returns those of the sinks that ship, and expects their next reports: the last one may be 10 s old.
    private func awaitReports(of names: Set<String>) -> Set<String> {
        let reports = state.withLock { $0.reports }
        let shipping = names.filter { reports[$0]?.isShipping == true }
        guard !shipping.isEmpty else { return [] }
        let due = ContinuousClock.now + Self.patience
        state.withLock { state in
            for name in shipping where state.reports[name]?.due == nil { state.reports[name]?.due = due }
        }
        wake()
        return shipping
    }

    /// Gives up the reports that are overdue, and returns the time of the next call; `nil` while none is awaited.
    ///
    /// - Parameter now: The current time.
    func step(at now: ContinuousClock.Instant = .now) -> ContinuousClock.Instant? {
        let (isOverdue, next) = state.withLock { state in
            let overdue = state.reports.filter { $0.value.due.map { $0 <= now } ?? false }.keys
            for name in overdue {
                state.reports[name]?.due = nil
                state.reports[name]?.isOverdue = true
            }
            return (!overdue.isEmpty, state.reports.values.compactMap(\.due).min())
        }
        if isOverdue { journal?.noteRemovals() }
        return next
    }

    // MARK: Status

    /// The sinks, by their names.
    var statuses: [SinkStatus] {
        let (sinks, reports) = state.withLock { ($0.sinks, $0.reports) }
        guard !sinks.isEmpty else { return [] }
        let (progress, newest) = (writer.progress, newest())
        // Events that have left the journal are no longer waiting.
        let gone = (journal?.oldestSequence ?? 1) - 1
        return sinks.map { sink in
            var status = SinkStatus(name: sink.name, broker: sink.target.broker)
            if let report = reports[sink.name], report.process?.hasEnded != true { status = report.status }
            let entry = progress.entries[sink.name]
            status.acknowledged = entry?.acknowledged
            status.acknowledgedTime = entry?.acknowledgedTime
            status.pending = entry.map { newest - min(newest, max(gone, $0.acknowledged ?? $0.settled)) }
            status.lost = entry?.lost ?? 0
            return status
        }
    }
}
