/// One thing that a service tells the manager which started it (sd_notify(3)).
package enum ServiceNotice: Sendable, Hashable {
    /// The service is at work: the first start, or a reload, is over.
    case ready
    /// The configuration is being read again, since a moment of `CLOCK_MONOTONIC` in microseconds.
    ///
    /// Managers from systemd 253 on insist on the moment where the unit is of `Type=notify-reload`.
    case reloading(since: UInt64)
    /// The service has begun to end.
    case stopping
    /// A sentence of the present state, for `systemctl status`.
    case status(String)
    /// The service is alive.
    case watchdog

    /// The longest sentence that is sent, in bytes: the manager takes 4 KiB of everything together (NOTIFY_BUFFER_MAX).
    static let longestStatus = 1024

    /// The assignment, or the assignments, that say it.
    var assignment: String {
        switch self {
        case .ready: "READY=1"
        case .reloading(let moment): "RELOADING=1\nMONOTONIC_USEC=\(moment)"
        case .stopping: "STOPPING=1"
        case .status(let sentence): "STATUS=\(Self.oneLine(sentence))"
        case .watchdog: "WATCHDOG=1"
        }
    }

    /// A line break would begin another assignment, which could be any.
    private static func oneLine(_ sentence: String) -> String {
        var text = ""
        var count = 0
        for scalar in sentence.unicodeScalars {
            let isControl = scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value)
            let shown: Unicode.Scalar = isControl ? " " : scalar
            count += UTF8.width(shown)
            guard count <= longestStatus else { break }
            text.unicodeScalars.append(shown)
        }
        return text
    }
}
