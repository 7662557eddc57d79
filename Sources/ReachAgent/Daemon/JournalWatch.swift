internal import Glibc

/// Waits for changes in a journal's directory (inotify(7)).
final class JournalWatch {
    private let descriptor: Int32

    /// Watches a directory from now on; `nil` when the system has no watch left.
    init?(directory: String) {
        let descriptor = inotify_init1(Int32(IN_CLOEXEC))
        guard descriptor >= 0 else { return nil }
        guard inotify_add_watch(descriptor, directory, UInt32(IN_MODIFY | IN_CREATE | IN_MOVED_TO)) >= 0 else {
            close(descriptor)
            return nil
        }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Blocks until something was written since the last call.
    func wait() {
        // What changed does not matter: the journal is read on from where the last reading ended.
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
            while read(descriptor, buffer.baseAddress, buffer.count) < 0, errno == EINTR {}
        }
    }
}
