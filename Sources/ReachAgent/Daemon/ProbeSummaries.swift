internal import NetlinkMonitor
internal import Probes

internal import struct AgentEvents.ProbePoint
internal import struct AgentEvents.ProbeSummary
internal import struct AgentEvents.Timestamp
internal import struct AgentEvents.Transfer
internal import struct AgentEvents.TransferSketches

/// The checks of each probe point since the hour (UTC) began.
///
/// There is no timer: the first checks of the next hour release the summaries of the last one.
struct ProbeSummaries: Sendable {
    /// The maximum number of points that are summarized: each takes one to two kilobytes.
    static let maximumPoints = 4096
    /// The maximum number of summaries that one check releases, so that thousands of them do not delay other events.
    static let maximumAtOnce = 16

    private var hour: Int64 = 0
    private var open: [Probes.ProbePoint: ProbeSummary] = [:]
    /// The summaries of past hours, in the order in which they are released.
    private var ended: [ProbeSummary] = []

    /// Counts a check.
    ///
    /// - Parameters:
    ///   - moment: The time at which it ended.
    ///   - goodRate: The throughput that is configured as good for its transfers, in bits per second.
    /// - Returns: The summaries to publish now.
    mutating func add(_ check: CompletedCheck, at moment: Timestamp, goodRate: Double? = nil) -> [ProbeSummary] {
        let present = moment.microsecondsSince1970 / 3_600_000_000
        if present != hour {
            close()
            hour = present
        }
        if open.count < Self.maximumPoints || open[check.point] != nil {
            open[check.point, default: ProbeSummary(point: .init(check.point), from: moment, to: moment)]
                .add(check.report, at: moment, goodRate: goodRate)
        }
        let due = Array(ended.prefix(Self.maximumAtOnce))
        ended.removeFirst(due.count)
        return due
    }

    /// The summaries that were not released, including those of the current hour.
    var unpublished: [ProbeSummary] { ended + open.values }

    /// Removes and returns all summaries, including those of the current hour.
    mutating func takeAll() -> [ProbeSummary] {
        close()
        defer { ended = [] }
        return ended
    }

    private mutating func close() {
        ended += open.sorted { $0.key < $1.key }.map(\.value)
        open = [:]
    }
}

extension ProbeSummary {
    fileprivate mutating func add(_ report: CheckReport, at moment: Timestamp, goodRate: Double?) {
        to = moment
        switch report.verdict {
        case .ok:
            succeeded += 1
            if report.transfer == nil { latency.add(microseconds: report.duration.microseconds) }
            for (phase, duration) in report.phaseDurations { phases.add(microseconds: duration, to: phase.rawValue) }
        case .failed(let code, _): failed.add(code.rawValue)
        case .unknown(let code, _): notChecked.add(code.rawValue)
        }
        if let measured = report.measuredTransfer {
            var sketches = transfer ?? TransferSketches()
            sketches.add(measured)
            sketches.goodBitsPerSecond = goodRate.map { Int64(measured: $0) }
            transfer = sketches
        }
    }
}

extension CheckReport {
    /// The measurements of a transfer that are valid for the link; nil for a transfer that yielded.
    ///
    /// A transfer that yielded has measured other traffic as well. One that failed counts: a link that is too slow for
    /// its timeout must not be left out.
    var measuredTransfer: Transfer? {
        if case .unknown = verdict { return nil }
        return transfer.map { Transfer($0) }.flatMap { $0.hasMeasurements ? $0 : nil }
    }

    /// The microseconds of each complete phase, added up over redirects; nothing for a check of a single phase, whose
    /// duration is the check's.
    fileprivate var phaseDurations: [Phase: Int64] {
        var durations: [Phase: Int64] = [:]
        for phase in hops.lazy.flatMap(\.phases) where phase.isComplete {
            durations[phase.phase, default: 0] += phase.duration.microseconds
        }
        return durations.count > 1 ? durations : [:]
    }
}
