internal import AgentEvents
internal import NetlinkMonitor

internal import struct FoundationEssentials.Date

extension Timestamp {
    /// The civil time of a moment.
    init(_ observed: ObservedTime) { self.init(microsecondsSince1970: observed.microsecondsSince1970) }

    /// The moment that a date stands for, to the microsecond; one that is too far away becomes the nearest that fits.
    init(_ date: Date) {
        let microseconds = (date.timeIntervalSince1970 * 1_000_000).rounded()
        // Years 0001 to 9999: what RFC 3339 can write.
        self.init(microsecondsSince1970: Int64(min(max(microseconds, -62_135_596_800e6), 253_402_300_799e6)))
    }

    /// The moment as Foundation knows it.
    var date: Date { Date(timeIntervalSince1970: Double(microsecondsSince1970) / 1_000_000) }
}

extension ObservedTime {
    /// The time since the moment, by the clock that does not jump.
    func milliseconds(until now: ObservedTime) -> Int64 { max(0, instant.duration(to: now.instant).milliseconds) }
}
