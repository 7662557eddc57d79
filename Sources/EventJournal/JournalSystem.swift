internal import Glibc

/// What the journal asks of the kernel, as far as a test has to be able to refuse it.
struct JournalSystem: Sendable {
    /// open(2): the descriptor, or the error number, negative.
    var open: @Sendable (_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32
    /// write(2): how many bytes were written, or the error number, negative.
    var write: @Sendable (_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int
    /// fdatasync(2): 0, or the error number.
    var sync: @Sendable (_ descriptor: Int32) -> Int32
    /// Time for measuring: it never jumps.
    var now: @Sendable () -> ContinuousClock.Instant

    /// The kernel itself.
    static let real = JournalSystem(
        open: { path, flags, mode in
            // Not to wait for a named pipe's other end, should somebody have put one there.
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
