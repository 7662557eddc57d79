/// The rates and the added latencies of transfers, with one value per transfer.
///
/// Rates are in bits per second: bucket `i` counts those above 2^((i-1)/8) and up to 2^(i/8) Mbit/s. A transfer counts
/// with its median rate, and with the latency added in the worse direction.
public struct TransferSketches: Sendable, Hashable {
    /// The rates of downloads, in bits per second.
    public var download = ExponentialHistogram()
    /// The rates of uploads, in bits per second.
    public var upload = ExponentialHistogram()
    /// The latencies added by load, in microseconds.
    public var added = ExponentialHistogram()
    /// The rate that is configured as good, in bits per second: for the download, or for the upload if there is no
    /// download.
    public var goodBitsPerSecond: Int64?

    /// Creates sketches of no transfers.
    public init() {}

    /// Adds the measurements of a transfer.
    public mutating func add(_ transfer: Transfer) {
        // The histogram's unit is a microsecond; here it is a bit per second.
        if let rate = transfer.download?.goodput?.p50 { download.add(microseconds: rate) }
        if let rate = transfer.upload?.goodput?.p50 { upload.add(microseconds: rate) }
        if let latency = transfer.addedMicroseconds { added.add(microseconds: latency) }
    }

    /// Adds all transfers of a later time; the good rate is the newest.
    public mutating func merge(_ other: TransferSketches) {
        download.merge(other.download)
        upload.merge(other.upload)
        added.merge(other.added)
        goodBitsPerSecond = other.goodBitsPerSecond ?? goodBitsPerSecond
    }

    /// Adds all transfers of another point, in any order of the points; the good rate is the highest.
    ///
    /// The rates of several points are not comparable with it: each point is judged by its own good rate.
    public mutating func combine(with other: TransferSketches) {
        let highest = [goodBitsPerSecond, other.goodBitsPerSecond].compactMap(\.self).max()
        merge(other)
        goodBitsPerSecond = highest
    }

    /// True without a measurement.
    public var isEmpty: Bool { download.count == 0 && upload.count == 0 && added.count == 0 }

    /// The sketches; `nil` without a measurement, with which they are not written either.
    var ifMeasured: TransferSketches? { isEmpty ? nil : self }

    /// The rates that the good rate applies to: the downloads, or the uploads if there are no downloads.
    public var judged: ExponentialHistogram { download.count > 0 ? download : upload }

    /// The good rate of a single point; `nil` if the median of the judged rates is not below it.
    public var missedBitsPerSecond: Int64? {
        guard let good = goodBitsPerSecond, let rate = judged.quantile(0.5), rate < good else { return nil }
        return good
    }
}

extension Transfer {
    /// True if a rate or an added latency was measured.
    public var hasMeasurements: Bool {
        download?.goodput != nil || upload?.goodput != nil || addedMicroseconds != nil
    }
}

extension TransferSketches: Codable {
    private enum CodingKeys: String, CodingKey {
        case download, upload, added
        case goodBitsPerSecond = "good_bps"
    }

    /// Reads the sketches.
    ///
    /// - Throws: `DecodingError` for an invalid histogram.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        if members.contains(.download) { download = try members.decode(RateSketch.self, forKey: .download).rates }
        if members.contains(.upload) { upload = try members.decode(RateSketch.self, forKey: .upload).rates }
        if members.contains(.added) { added = try members.decode(ExponentialHistogram.self, forKey: .added) }
        goodBitsPerSecond = try members.decodeIfPresent(Int64.self, forKey: .goodBitsPerSecond)
    }

    /// Writes the sketches that have a value.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        if download.count > 0 { try members.encode(RateSketch(rates: download), forKey: .download) }
        if upload.count > 0 { try members.encode(RateSketch(rates: upload), forKey: .upload) }
        if added.count > 0 { try members.encode(added, forKey: .added) }
        try members.encodeIfPresent(goodBitsPerSecond, forKey: .goodBitsPerSecond)
    }
}

/// A histogram whose members are named as rates.
private struct RateSketch: Codable {
    var rates: ExponentialHistogram

    private enum CodingKeys: String, CodingKey {
        case minimum = "min_bps"
        case maximum = "max_bps"
        case sum = "sum_bps"
        case buckets
    }

    init(rates: ExponentialHistogram) { self.rates = rates }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        var numbers = try members.nestedUnkeyedContainer(forKey: .buckets)
        rates = try ExponentialHistogram(buckets: &numbers)
        guard rates.count > 0 else { return }
        rates.measure(
            sum: try members.decode(UInt64.self, forKey: .sum),
            minimum: try members.decode(Int64.self, forKey: .minimum),
            maximum: try members.decode(Int64.self, forKey: .maximum)
        )
    }

    func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(rates.minimum, forKey: .minimum)
        try members.encode(rates.maximum, forKey: .maximum)
        try members.encode(rates.sum, forKey: .sum)
        var numbers = members.nestedUnkeyedContainer(forKey: .buckets)
        try rates.encodeBuckets(to: &numbers)
    }
}
