internal import Glibc
internal import LinuxSupport

/// The evidence that the wall clock is right.
///
/// A device whose clock has no battery, or a wrong one, starts years off until a time server answers.
enum ClockTrust {
    /// Made by systemd-timesyncd when the clock is synchronised.
    ///
    /// The unit's sandbox keeps the kernel from answering adjtimex(2), which could set the clock as well.
    private static let marker = "/run/systemd/timesync/synchronized"
    /// The uptime after which the clock is trusted without a time server, because there is no better one.
    private static let patience: Duration = .seconds(86_400)

    /// Returns true when the clock is synchronised, or the machine has been up for a day without ever being so.
    @Sendable static func isTrusted() -> Bool {
        isTrusted(isSynchronized: isSynchronized, uptime: KernelClock.time(CLOCK_BOOTTIME))
    }

    /// `true` if the kernel or systemd-timesyncd says that a time server keeps the clock right.
    static var isSynchronized: Bool { ClockWatch.isSynchronized || access(marker, F_OK) == 0 }

    static func isTrusted(isSynchronized: Bool, uptime: Duration) -> Bool { isSynchronized || uptime >= patience }
}
