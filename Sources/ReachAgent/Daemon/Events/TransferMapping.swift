internal import AgentEvents
internal import Probes

// Transfers and their progress as values of the schema.

extension Transfer {
    init(_ report: TransferReport) {
        self.init(
            download: report.download.map { Leg($0) },
            upload: report.upload.map { Leg($0) },
            idle: report.idle.map { RoundTrips($0) },
            seams: report.seams.map { Seam($0) }
        )
    }
}

extension ProbeProgress {
    init(_ progress: TransferProgress, of point: Probes.ProbePoint) {
        self.init(
            point: AgentEvents.ProbePoint(point),
            phase: progress.phase.rawValue,
            bytes: progress.bytes,
            totalBytes: progress.totalBytes,
            bitsPerSecond: progress.bitsPerSecond.map { Int64(measured: $0) },
            addedMicroseconds: progress.addedLatency?.microseconds,
            elapsedMicroseconds: progress.elapsed.microseconds
        )
    }
}

extension Transfer.Leg {
    fileprivate init(_ leg: TransferLeg) {
        self.init(
            bytes: leg.bytes,
            wantedBytes: leg.wantedBytes,
            durationMicroseconds: leg.duration.microseconds,
            firstByteMicroseconds: leg.timeToFirstByte?.microseconds,
            goodput: leg.goodput.map { Transfer.Goodput($0) },
            retransmissions: leg.retransmissions,
            loaded: leg.loaded.map { Transfer.Loaded($0) }
        )
    }
}

extension Transfer.Goodput {
    fileprivate init(_ goodput: Probes.Goodput) {
        self.init(
            p50: Int64(measured: goodput.p50),
            p95: Int64(measured: goodput.p95),
            mean: Int64(measured: goodput.mean),
            windows: goodput.windows,
            slowStartMicroseconds: goodput.slowStart.microseconds
        )
    }
}

extension Transfer.RoundTrips {
    fileprivate init(_ trips: Probes.RoundTrips) {
        self.init(
            count: trips.count,
            minimum: trips.minimum.microseconds,
            p50: trips.p50.microseconds,
            p95: trips.p95.microseconds
        )
    }
}

extension Transfer.Loaded {
    fileprivate init(_ loaded: LoadedRoundTrips) {
        self.init(
            separate: loaded.separate.map { Transfer.RoundTrips($0) },
            same: loaded.same.map { Transfer.RoundTrips($0) },
            addedMicroseconds: loaded.added?.microseconds,
            perMinute: Int64(measured: loaded.perMinute)
        )
    }
}

extension Transfer.Seam {
    fileprivate init(_ seam: TransferSeam) {
        self.init(
            offset: seam.offset,
            code: seam.code.rawValue,
            pauseMicroseconds: seam.pause.microseconds,
            from: seam.from,
            to: seam.to,
            isRestarted: seam.isRestarted
        )
    }
}

extension Int64 {
    /// A measured figure, rounded; one without a meaning, such as after a division by zero, is 0.
    init(measured value: Double) { self = value.isFinite ? Int64(Swift.min(Swift.max(0, value.rounded()), 1e15)) : 0 }
}
