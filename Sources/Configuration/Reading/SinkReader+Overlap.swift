internal import Sinks

// Two sinks of one machine at one broker.
extension SinkReader {
    /// Rejects a sink that would disturb an earlier one.
    ///
    /// - Parameters:
    ///   - sink: The sink.
    ///   - table: Its table.
    ///   - earlier: The sinks before it, and the positions of their tables.
    static func refuse(
        _ sink: SinkSettings,
        in table: TableReader,
        beside earlier: [(settings: SinkSettings, origin: Origin)]
    ) {
        for (other, origin) in earlier {
            guard let overlap = sink.overlap(with: other) else { continue }
            return table.report("device", "the sink '\(other.name)' (\(origin.place)) \(overlap.sentence)")
        }
    }
}

extension SinkOverlap {
    /// The rest of a sentence about the other sink, with the remedy.
    fileprivate var sentence: String {
        switch self {
        case .events:
            """
            ships as the same device to the same broker, and either would pass over events that the other has shipped: \
            give one of them another 'device', or each a 'stream' of its own
            """
        case .retained:
            """
            keeps the state of the same device at the same broker, and the end of either would set the device offline: \
            give one of them another 'device', or 'keep_state = false'
            """
        }
    }
}
