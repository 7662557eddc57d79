/// The policy for flushing written data to the disk (fdatasync(2)).
public enum SyncPolicy: Sendable, Hashable {
    /// Before any consumer sees the event: no visible event is lost, not even in a power failure.
    case always
    /// At most this long after the write, and at once for urgent events.
    case interval(Duration)
    /// Left to the kernel.
    case never

    /// An interval of one second.
    public static var standard: SyncPolicy { .interval(.seconds(1)) }
}
