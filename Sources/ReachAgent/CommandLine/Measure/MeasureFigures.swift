internal import AgentEvents
internal import Probes

/// The figures of a transfer as people compare them: the same words in the table, in the line, for each uplink and on each
/// day.
struct MeasureFigures {
    /// A figure and its name.
    struct Figure {
        let name: String
        let text: String
    }

    /// A part of the table.
    enum Section: String, CaseIterable {
        case download = "DOWNLOAD"
        case upload = "UPLOAD"
        case idle = "IDLE"
    }

    /// The names of the rows, in their order; a row that no uplink has a figure for is left out.
    static let rows = [
        "median", "95th percentile", "added latency", "round trips/min", "first byte", "retransmissions", "transferred",
        "time", "interruptions", "round trip",
    ]

    let transfer: TransferReport

    /// The figures of a section; empty where there is none.
    func figures(_ section: Section) -> [Figure] {
        switch section {
        case .download:
            guard let leg = transfer.download else { return [] }
            let seams = transfer.seams.isEmpty ? [] : [Figure(name: "interruptions", text: "\(transfer.seams.count)")]
            return Self.figures(leg) + seams
        case .upload: return transfer.upload.map(Self.figures) ?? []
        case .idle:
            return transfer.idle.map { [Figure(name: "round trip", text: DurationText.milliseconds($0.p50))] } ?? []
        }
    }

    private static func figures(_ leg: TransferLeg) -> [Figure] {
        let figures: [(String, String?)] = [
            ("median", leg.goodput.map { rate($0.p50) }),
            ("95th percentile", leg.goodput.map { rate($0.p95) }),
            ("added latency", leg.loaded?.added.map { "+" + DurationText.milliseconds($0) }),
            ("round trips/min", leg.loaded.map { perMinute($0.perMinute) }),
            ("first byte", leg.timeToFirstByte.map(DurationText.milliseconds)),
            ("retransmissions", leg.retransmissions.map { "\($0)" }),
            ("transferred", bytes(leg)),
            ("time", seconds(leg.duration)),
        ]
        return figures.compactMap { name, text in text.map { Figure(name: name, text: $0) } }
    }

    /// A bit rate with three digits: `38.9 Mbit/s`.
    static func rate(_ bitsPerSecond: Double) -> String {
        SummaryText.bitRate(bitsPerSecond.isFinite ? Int64(min(max(0, bitsPerSecond), 1e15)) : 0)
    }

    /// `20 MiB`, or `3.1 of 20 MiB`.
    static func bytes(_ leg: TransferLeg) -> String {
        let (bytes, wanted) = (UInt64(max(0, leg.bytes)), UInt64(max(0, leg.wantedBytes)))
        return leg.isComplete ? ByteCountText.whole(bytes) : ByteCountText.of(bytes, outOf: wanted)
    }

    /// Seconds with the significant decimals: `0.43 s`, `4.3 s`, `120 s`.
    static func seconds(_ duration: Duration) -> String {
        let hundredths = (max(0, duration.microseconds) + 5000) / 10_000
        if hundredths < 100 { return "0.\(hundredths < 10 ? "0" : "")\(hundredths) s" }
        let tenths = (hundredths + 5) / 10
        return tenths < 1000 ? "\(tenths / 10).\(tenths % 10) s" : "\((tenths + 5) / 10) s"
    }

    static func perMinute(_ count: Double) -> String {
        "\(Int(count.isFinite ? min(max(0, count), 1e9).rounded() : 0))"
    }
}

extension ByteCountText {
    /// Bytes as ``of(_:)`` shows them, without a zero decimal: `20 MiB`, `1.5 MiB`.
    static func whole(_ count: UInt64) -> String {
        let text = of(count)
        return text.firstRange(of: ".0 ").map { text.replacingCharacters(in: $0) } ?? text
    }
}

extension String {
    /// Returns the text with a range replaced by a space.
    fileprivate func replacingCharacters(in range: Range<Index>) -> String {
        self[..<range.lowerBound] + " " + self[range.upperBound...]
    }
}
