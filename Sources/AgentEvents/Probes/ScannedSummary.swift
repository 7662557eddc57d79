/// The figures of a `probe.summary` line that a report adds up, read in one pass, without codes and phases.
///
/// Most events of a year's journal are summaries, and decoding each as an ``AgentEvent`` takes ten times as long.
public struct ScannedSummary: Sendable, Hashable {
    /// The probe and its vantage point.
    public let point: ProbePoint
    /// The moment at which the first check ended.
    public let from: Timestamp
    /// The number of checks that succeeded.
    public let succeeded: Int
    /// The number of checks that failed.
    public let failed: Int
    /// The number of checks that a fault of the machine prevented.
    public let notChecked: Int
    /// The durations of the checks that succeeded.
    public let latency: ExponentialHistogram
    /// The rates and the added latencies of transfers; `nil` without one.
    public let transfer: TransferSketches?

    /// Scans the line of an event of the type `probe.summary`, without its newline.
    ///
    /// - Returns: `nil` unless the line has the format that this version writes; ``AgentEvent`` reads other formats
    ///   too.
    public init?(_ line: Span<UInt8>) {
        guard line.count <= ScannedLine.maximumBytes else { return nil }
        let parts = line.withUnsafeBufferPointer { bytes in
            var scanner = JSONScanner(bytes)
            return scanner.scanSummary()
        }
        guard let parts, let probe = parts.probe.flatMap({ Self.plainText(line.extracting($0)) }),
            let from = parts.from.flatMap({ Timestamp(utc: line.extracting($0)) }),
            parts.to.flatMap({ Timestamp(utc: line.extracting($0)) }) != nil, let succeeded = parts.succeeded
        else { return nil }
        var point = ProbePoint(probe: probe)
        if let range = parts.interface {
            guard let name = Self.plainText(line.extracting(range)) else { return nil }
            point.interface = name
        }
        if let range = parts.family {
            guard let name = Self.plainText(line.extracting(range)) else { return nil }
            point.family = name
        }
        self.point = point
        self.from = from
        self.succeeded = succeeded
        failed = parts.failed ?? 0
        notChecked = parts.notChecked ?? 0
        latency = parts.latency ?? ExponentialHistogram()
        transfer = parts.transfer?.ifMeasured
    }

    /// Creates the figures of a decoded summary that a report adds up.
    public init(_ summary: ProbeSummary) {
        point = summary.point
        from = summary.from
        succeeded = summary.succeeded
        failed = summary.failed.total
        notChecked = summary.notChecked.total
        latency = summary.latency
        transfer = summary.transfer
    }

    /// Returns the text of a short string without escapes.
    private static func plainText(_ bytes: Span<UInt8>) -> String? {
        guard bytes.count <= AgentEvent.Content.maximumWordBytes else { return nil }
        return bytes.withUnsafeBufferPointer { bytes in
            bytes.contains(UInt8(ascii: "\\")) ? nil : String(decoding: bytes, as: UTF8.self)
        }
    }
}

/// The members of a summary; strings as ranges, and each member is set at most once.
private struct SummaryParts {
    var isRead = false
    var probe: Range<Int>?
    var interface: Range<Int>?
    var family: Range<Int>?
    var from: Range<Int>?
    var to: Range<Int>?
    var succeeded: Int?
    var failed: Int?
    var notChecked: Int?
    var latency: ExponentialHistogram?
    var transfer: TransferSketches?
}

extension JSONScanner {
    fileprivate mutating func scanSummary() -> SummaryParts? {
        var parts = SummaryParts()
        let isObject = scanMembers { scanner, name in
            guard scanner.matches(name, "data") else { return scanner.skipValue() }
            guard !parts.isRead else { return false }
            parts.isRead = true
            return scanner.scanObject { scanner, name in scanner.scanPart(name, &parts) }
        }
        return isObject ? parts : nil
    }

    /// Scans a member of the summary; `false` also for a well-formed member whose format differs from this version's.
    private mutating func scanPart(_ name: Range<Int>, _ parts: inout SummaryParts) -> Bool {
        if matches(name, "probe") { return set(&parts.probe) { $0.scanString() } }
        if matches(name, "interface") { return set(&parts.interface) { $0.scanString() } }
        if matches(name, "family") { return set(&parts.family) { $0.scanString() } }
        if matches(name, "from") { return set(&parts.from) { $0.scanString() } }
        if matches(name, "to") { return set(&parts.to) { $0.scanString() } }
        if matches(name, "ok") { return set(&parts.succeeded) { $0.scanCount() } }
        if matches(name, "failed") { return set(&parts.failed) { $0.scanTotal() } }
        if matches(name, "not_checked") { return set(&parts.notChecked) { $0.scanTotal() } }
        if matches(name, "latency") { return set(&parts.latency) { $0.scanHistogram() } }
        if matches(name, "transfer") { return set(&parts.transfer) { $0.scanTransfer() } }
        return skipValue()
    }

    /// Sets a value that must be set only once: readers differ about which of several members with one name counts.
    private mutating func set<Value>(_ value: inout Value?, _ scan: (inout JSONScanner) -> Value?) -> Bool {
        guard value == nil else { return false }
        value = scan(&self)
        return value != nil
    }

    /// Scans a number of checks, up to the maximum at which `ProbeSummary` clamps it.
    private mutating func scanCount() -> Int? {
        guard let count = scanWhole(), (0...Int64(ProbeSummary.Counts.maximum)).contains(count) else { return nil }
        return Int(count)
    }

    /// Scans the sum of the counts of an object.
    ///
    /// Codes are in ASCII, and written in ascending order: in this form each is there once, as each counts once in decoding.
    private mutating func scanTotal() -> Int? {
        var (total, codes) = (0, 0)
        var last: Range<Int>?
        let isObject = scanObject { scanner, code in
            let bytes = scanner.bytes
            codes += 1
            guard codes <= NameKey.maximumCount, code.count <= NameKey.maximumBytes,
                bytes[code].allSatisfy({ $0 < 0x80 && $0 != UInt8(ascii: "\\") }),
                last.map({ bytes[$0].lexicographicallyPrecedes(bytes[code]) }) != false,
                let count = scanner.scanCount(), count > 0, total < ProbeSummary.Counts.maximum
            else { return false }
            last = code
            total += count
            return true
        }
        return isObject ? total : nil
    }

    private mutating func scanTransfer() -> TransferSketches? {
        var (download, upload, added): (ExponentialHistogram?, ExponentialHistogram?, ExponentialHistogram?)
        var good: Int64?
        let isObject = scanObject { scanner, name in
            if scanner.matches(name, "download") { return scanner.set(&download) { $0.scanHistogram(ofRates: true) } }
            if scanner.matches(name, "upload") { return scanner.set(&upload) { $0.scanHistogram(ofRates: true) } }
            if scanner.matches(name, "added") { return scanner.set(&added) { $0.scanHistogram() } }
            if scanner.matches(name, "good_bps") { return scanner.set(&good) { $0.scanWhole() } }
            return scanner.skipValue()
        }
        guard isObject else { return nil }
        var sketches = TransferSketches()
        sketches.download = download ?? sketches.download
        sketches.upload = upload ?? sketches.upload
        sketches.added = added ?? sketches.added
        sketches.goodBitsPerSecond = good
        return sketches
    }

    private mutating func scanHistogram(ofRates isOfRates: Bool = false) -> ExponentialHistogram? {
        var histogram = ExponentialHistogram()
        var minimum: Int64?
        var maximum: Int64?
        var sum: Int64?
        let isObject = scanObject { scanner, name in
            if scanner.matches(name, isOfRates ? "min_bps" : "min_us") {
                return scanner.set(&minimum) { $0.scanWhole() }
            }
            if scanner.matches(name, isOfRates ? "max_bps" : "max_us") {
                return scanner.set(&maximum) { $0.scanWhole() }
            }
            if scanner.matches(name, isOfRates ? "sum_bps" : "sum_us") { return scanner.set(&sum) { $0.scanWhole() } }
            if scanner.matches(name, "buckets") { return scanner.scanBuckets(&histogram) }
            return scanner.skipValue()
        }
        guard isObject, histogram.count > 0, let minimum, let maximum, let sum, sum >= 0 else { return nil }
        histogram.measure(sum: UInt64(sum), minimum: minimum, maximum: maximum)
        return histogram
    }

    private mutating func scanBuckets(_ histogram: inout ExponentialHistogram) -> Bool {
        guard histogram.count == 0, take(UInt8(ascii: "[")) else { return false }
        repeat {
            guard let index = scanWhole(), take(UInt8(ascii: ",")), let count = scanWhole(), count > 0,
                histogram.append(bucket: Int(index), UInt64(count))
            else { return false }
        } while take(UInt8(ascii: ","))
        return take(UInt8(ascii: "]"))
    }

    /// Scans a whole number of at most 18 digits.
    private mutating func scanWhole() -> Int64? {
        let isNegative = take(UInt8(ascii: "-"))
        let start = position
        var value: Int64 = 0
        while position < bytes.count, case let digit = bytes[position] &- UInt8(ascii: "0"), digit < 10 {
            guard position - start < 18 else { return nil }
            value = value * 10 + Int64(digit)
            position += 1
        }
        // The caller checks what follows, and accepts neither a fraction nor an exponent.
        guard position > start, bytes[start] != UInt8(ascii: "0") || position == start + 1 else { return nil }
        return isNegative ? -value : value
    }
}
