/// When what was written is forced onto the disk (fdatasync(2)).
public enum SyncPolicy: Sendable, Hashable {
    /// Before any consumer sees it: nothing that anybody has seen is lost, not even when the power fails.
    case always
    /// At most this long after it was written, and at once for urgent events.
    case interval(Duration)
    /// When the kernel sees fit.
    case never

    /// An interval of one second.
    public static var standard: SyncPolicy { .interval(.seconds(1)) }
}
