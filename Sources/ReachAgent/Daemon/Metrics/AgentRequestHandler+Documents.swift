internal import AgentEvents
internal import Hooks
internal import NetlinkMonitor
internal import Probes
internal import Reachability
internal import StatePages
internal import StateSocket
internal import Synchronization

/// The documents over HTTP.
extension AgentRequestHandler {
    func document(_ kind: AgentDocument.Kind, connections: Int) -> AgentDocument {
        switch kind {
        case .metrics: metricsDocument(.prometheus, connections: connections)
        case .openMetrics: metricsDocument(.openMetrics, connections: connections)
        case .page:
            AgentDocument(
                contentType: "text/html; charset=utf-8",
                contentSecurityPolicy: StatusPage.contentSecurityPolicy,
                body: page(connections: connections)
            )
        }
    }

    /// The report as the command prints it, made by the command itself.
    func report(_ request: ReportRequest, isCancelled: @escaping @Sendable () -> Bool) throws(ReportRefusal)
        -> AgentDocument
    {
        guard let journal else { throw .absent("this agent keeps no journal") }
        let command: ReportCommand
        do {
            command = try ReportCommand.parse(
                request.values.sorted { $0.key < $1.key }.map { "--\($0.key)=\($0.value)" }
            )
        } catch {
            // The names of the parameters are those of the options.
            throw .invalid(ReportCommand.message(for: error).replacing("'--", with: "'"))
        }
        do {
            let reported = ReportedJournal(
                path: journal.configuration.directory,
                showsProgress: false,
                warn: { AgentLogger.make().notice("report: \($0)") },
                isCancelled: isCancelled
            )
            let report = try command.report(of: reported)
            return AgentDocument(contentType: "application/json", body: report.json() + [UInt8(ascii: "\n")])
        } catch let error as ReportCommand.NothingToReport {
            throw .absent(error.description)
        } catch {
            throw .failed("\(error)")
        }
    }

    /// The file of metrics at a path.
    func metricsFile(at path: String, connections: @escaping @Sendable () -> Int) -> MetricsFile {
        MetricsFile(path: path) { [self] in
            MetricsPage.bytes(
                of: metrics(connections: connections()),
                as: .prometheus,
                families: MetricFamily.collected
            )
        }
    }

    private func metricsDocument(_ format: MetricsPage.Format, connections: Int) -> AgentDocument {
        AgentDocument(
            contentType: format.contentType,
            body: MetricsPage.bytes(of: metrics(connections: connections), as: format)
        )
    }

    /// The values of a scrape: one reading of the state.
    func metrics(connections: Int) -> AgentMetrics {
        let (status, records) = statusWithRecords(connections: connections)
        let now = ObservedTime.now
        let figures = metricsStore.figures(of: records.map(\.point), observed: now)
        let intervals = runner.intervals
        let plan = self.plan
        return AgentMetrics(
            status: status,
            probes: records.map { record in
                let known = figures.checks[record.point]
                var metrics = ProbeMetrics(record, last: known?.last, counts: known?.counts, at: now)
                metrics.interval = intervals[record.point].map { $0 / .seconds(1) }
                if plan.hasTransfers(record.point.probe) {
                    metrics.transfers = figures.transfers[record.point] ?? TransferMetrics()
                }
                return metrics
            },
            hooks: hooks.statuses,
            transitions: figures.transitions,
            secondsByConnectivity: figures.seconds,
            process: .current(
                started: status.seconds(of: status.agent?.started, elapsed: status.agent?.uptimeMilliseconds) ?? 0
            )
        )
    }
}

extension ProbeMetrics {
    /// The metrics of a probe from one vantage at a time.
    init(_ record: ProbeRecord, last: CheckMetrics?, counts: CheckCounts?, at now: ObservedTime) {
        let vantage = record.point.vantage
        self.init(
            probe: record.point.probe,
            device: vantage.interface ?? "",
            family: vantage.family ?? "",
            verdict: record.state.verdict.rawValue
        )
        code = record.state.code?.rawValue
        since = record.since.map { $0.seconds(until: now) }
        self.last = last
        checks = counts ?? CheckCounts()
        certificate = record.last?.certificates.min { $0.notAfter < $1.notAfter }.map { first in
            (Timestamp(first.notBefore).seconds, Timestamp(first.notAfter).seconds)
        }
    }
}

extension Timestamp {
    /// A time in seconds since 1970.
    init(seconds: Double) {
        self.init(microsecondsSince1970: Int64(min(max(0, seconds * 1_000_000), 1e17)))
    }

    /// The time in seconds since 1970.
    var seconds: Double { Double(microsecondsSince1970) / 1_000_000 }
}

/// The last page, which is served again to requests within a short time: many readers of one event cost as much as one.
final class PageCache: Sendable {
    /// The lifetime of a page while no event follows.
    private static let lifetime: Duration = .milliseconds(250)

    /// The sources of a page, as far as events change them.
    struct Version: Equatable {
        /// The number of the newest event that the status has.
        var sequence: UInt64
        /// The number of events that the history has.
        var taken: UInt64
    }

    private struct Entry {
        var version: Version
        var made: ContinuousClock.Instant
        var page: [UInt8]
    }

    private let entry = Mutex<Entry?>(nil)

    /// The page of a version.
    ///
    /// - Parameters:
    ///   - version: The version, read before the page is made: a page may be newer than its version, never older.
    ///   - make: Makes the page; called if the last one is outdated.
    func page(
        of version: Version,
        at now: ContinuousClock.Instant = .now,
        _ make: () -> [UInt8]
    ) -> [UInt8] {
        let kept = entry.withLock { entry in
            entry.flatMap { $0.version == version && $0.made.duration(to: now) < Self.lifetime ? $0.page : nil }
        }
        if let kept { return kept }
        let page = make()
        entry.withLock { $0 = Entry(version: version, made: now, page: page) }
        return page
    }
}
