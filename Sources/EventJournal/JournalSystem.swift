internal import Glibc

/// The system calls of the journal that tests must be able to fail.
struct JournalSystem: Sendable {
    /// open(2): the descriptor, or the negative errno.
    var open: @Sendable (_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32
    /// write(2): the number of written bytes, or the negative errno.
    var write: @Sendable (_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int
    /// fdatasync(2): 0, or the errno.
    var sync: @Sendable (_ descriptor: Int32) -> Int32
    /// The monotonic clock.
    var now: @Sendable () -> ContinuousClock.Instant

    /// The real system calls.
    static let real = JournalSystem(
        open: { path, flags, mode in
            // Must not wait for the other end of a FIFO in its place.
            let descriptor = Glibc.open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, mode)
            return descriptor < 0 ? -errno : descriptor
        },
        write: { descriptor, bytes in
            let count = Glibc.write(descriptor, bytes.baseAddress, bytes.count)
            return count < 0 ? -Int(errno) : count
        },
        sync: { fdatasync($0) == 0 ? 0 : errno },
        now: { .now }
    )
}
