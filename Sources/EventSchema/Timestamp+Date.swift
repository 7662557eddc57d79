public import EventEnvelope

public import struct FoundationEssentials.Date

extension Timestamp {
    /// The moment that a date stands for, to the microsecond; one that is too far away becomes the nearest that fits.
    public init(_ date: Date) {
        let microseconds = (date.timeIntervalSince1970 * 1_000_000).rounded()
        // Years 0001 to 9999: what RFC 3339 can write.
        self.init(microsecondsSince1970: Int64(min(max(microseconds, -62_135_596_800e6), 253_402_300_799e6)))
    }

    /// The moment as Foundation knows it.
    public var date: Date { Date(timeIntervalSince1970: Double(microsecondsSince1970) / 1_000_000) }
}

extension Duration {
    /// The whole microseconds of the duration.
    public var microseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
        let (sum, overflowToo) = product.addingReportingOverflow(attoseconds / 1_000_000_000_000)
        return overflow || overflowToo ? (seconds < 0 ? .min : .max) : sum
    }
}
