internal import AgentEvents
internal import NetlinkMonitor
internal import Probes
internal import Reachability
internal import StatePages
internal import StateSocket

/// The documents over HTTP.
extension AgentDesk {
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

    private func metricsDocument(_ format: MetricsPage.Format, connections: Int) -> AgentDocument {
        AgentDocument(
            contentType: format.contentType,
            body: MetricsPage.bytes(of: metrics(connections: connections), as: format)
        )
    }

    /// The values of a scrape: one reading of the state.
    private func metrics(connections: Int) -> AgentMetrics {
        let (status, records) = statusWithRecords(connections: connections)
        let figures = metricsBoard.figures(of: records.map(\.point))
        return AgentMetrics(
            status: status,
            probes: records.map { record in
                let known = figures.checks[record.point]
                return ProbeMetrics(record, last: known?.last, counts: known?.counts)
            },
            transitions: figures.transitions,
            secondsByConnectivity: figures.seconds,
            process: .current(started: status.agent?.started.map(\.seconds) ?? 0)
        )
    }
}

extension ProbeMetrics {
    fileprivate init(_ record: ProbeRecord, last: CheckMetrics?, counts: CheckCounts?) {
        let vantage = record.point.vantage
        self.init(
            probe: record.point.probe,
            device: vantage.interface ?? "",
            family: vantage.family ?? "",
            verdict: record.standing.verdict.rawValue
        )
        code = record.standing.code?.rawValue
        since = record.since.map { Timestamp($0).seconds }
        self.last = last
        checks = counts ?? CheckCounts()
        certificate = record.last?.certificates.min { $0.notAfter < $1.notAfter }.map { first in
            (Timestamp(first.notBefore).seconds, Timestamp(first.notAfter).seconds)
        }
    }
}

extension Timestamp {
    /// The time in seconds since 1970.
    var seconds: Double { Double(microsecondsSince1970) / 1_000_000 }
}
