internal import Glibc
internal import Synchronization

/// File descriptors that are reserved for the end of the process.
///
/// A process that has used up its descriptors (RLIMIT_NOFILE) cannot even end: the journal is closed with new files, and
/// libdispatch, on whose queues NIO ends its threads, traps when it cannot open the descriptors of its own event loop.
final class DescriptorReserve: Sendable {
    /// The number that the end needs, with some to spare for descriptors that are opened at the same time.
    private static let count = 32

    private let descriptors: Mutex<[CInt]>

    /// Reserves the descriptors, or as many as there are.
    init() {
        let taken = (0..<Self.count).map { _ in open("/dev/null", O_RDONLY | O_CLOEXEC) }
        descriptors = Mutex(taken.filter { $0 >= 0 })
    }

    deinit { release() }

    /// Releases the descriptors; a second call does nothing.
    func release() {
        let taken = descriptors.withLock { descriptors in
            defer { descriptors = [] }
            return descriptors
        }
        for descriptor in taken { close(descriptor) }
    }
}
