internal import EventEnvelope
internal import Glibc

extension Timestamp {
    /// What CLOCK_REALTIME says now.
    static var wallClock: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(microsecondsSince1970: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
    }
}
