internal import AgentEvents
internal import Glibc
internal import NetlinkMonitor

internal import struct FoundationEssentials.Date

extension Timestamp {
    /// The civil time of an observed time.
    init(_ observed: ObservedTime) { self.init(microsecondsSince1970: observed.microsecondsSince1970) }

    /// The civil time of an observed time, by the wall clock as it is set at a later one.
    init(_ observed: ObservedTime, at now: ObservedTime) {
        self = Timestamp(observed).moved(elapsed: observed.instant.duration(to: now.instant), until: Timestamp(now))
    }

    /// The time of a date, to the microsecond; one out of range becomes the nearest that fits.
    init(_ date: Date) {
        let microseconds = (date.timeIntervalSince1970 * 1_000_000).rounded()
        // Years 0001 to 9999: what RFC 3339 can write.
        self.init(microsecondsSince1970: Int64(min(max(microseconds, -62_135_596_800e6), 253_402_300_799e6)))
    }

    /// The time as a date of Foundation.
    var date: Date { Date(timeIntervalSince1970: Double(microsecondsSince1970) / 1_000_000) }
}

extension ObservedTime {
    /// The time since then, by the monotonic clock.
    func milliseconds(until now: ObservedTime) -> Int64 { max(0, instant.duration(to: now.instant).milliseconds) }
}

/// The times of events in the order of their numbers: they never run backwards, unless the clock is set back.
///
/// An input that was read before the last event went out has that event's time.
struct EventClock: Sendable {
    private var last: ObservedTime?

    /// Returns the time that the next event would have if an input of that time caused it.
    func time(of observed: ObservedTime) -> ObservedTime {
        // Compared by the monotonic clock.
        if let last, observed.instant < last.instant { return last }
        return observed
    }

    /// Returns the time of the next event, which an input of that time causes.
    mutating func stamp(_ observed: ObservedTime) -> ObservedTime {
        let time = time(of: observed)
        last = time
        return time
    }
}

extension EventOrigin {
    /// This host as the origin of a stream.
    ///
    /// - Parameter streamID: The name of the stream whose numbers continue; without one (no journal) numbers begin at 1
    ///   with each process, so a random name keeps `id` from repeating.
    static func current(streamID: String? = nil) -> EventOrigin {
        func half() -> String {
            let digits = String(UInt64.random(in: .min ... .max), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }
        return EventOrigin(streamID: streamID ?? half() + half(), host: hostName, bootID: currentBootID)
    }

    /// The kernel's name for this boot; `nil` if `/proc` does not have it.
    static var currentBootID: String? {
        let descriptor = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 64)
        let count = read(descriptor, &buffer, buffer.count)
        guard count > 0 else { return nil }
        let text = String(decoding: buffer[..<count].prefix { $0 > 0x20 && $0 < 0x7F }, as: UTF8.self)
        return text.isEmpty ? nil : text
    }

    private static var hostName: String {
        var buffer = [CChar](repeating: 0, count: 256)
        guard gethostname(&buffer, buffer.count - 1) == 0 else { return "localhost" }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
