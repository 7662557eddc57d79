internal import Glibc
internal import LinuxSupport
internal import Synchronization

/// An open file, closed with its last reference: a segment may be closed while the other thread still flushes it.
final class OpenFile: Sendable {
    /// The descriptor; do not close it.
    let descriptor: Int32
    /// The path at the time of opening.
    let path: String
    private let failedSync = Atomic(false)

    init(descriptor: Int32, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit { close(descriptor) }

    /// `true` once a flush has failed: the kernel reports that once, so that a later success says nothing about the events
    /// of before.
    var hasFailedSync: Bool { failedSync.load(ordering: .relaxed) }

    /// Flushes the file to the disk, and records a failure, also in the journal's status; returns `false` on failure.
    func sync(with system: JournalSystem, reportingTo statusStore: JournalStatusStore) -> Bool {
        let error = system.sync(descriptor)
        guard error != 0 else { return true }
        failedSync.store(true, ordering: .relaxed)
        statusStore.syncFailed(JournalError(operation: "sync", path: path, cause: .errno(error)))
        return false
    }

    /// Returns the identity, the size and the type of the file.
    func status() -> FileStatus? {
        var entry = stat()
        guard fstat(descriptor, &entry) == 0 else { return nil }
        return FileStatus(entry)
    }

    /// Truncates the file to `size` bytes.
    func truncate(to size: UInt64) throws(JournalError) {
        guard ftruncate(descriptor, off_t(clamping: size)) != 0 else { return }
        throw JournalError(operation: "truncate", path: path, cause: .errno(errno))
    }
}

/// The identity of a file, its size and its type.
struct FileStatus: Sendable, Hashable {
    let identity: FileIdentity
    let size: UInt64
    /// `true` for a regular file.
    let isRegular: Bool

    init(_ entry: stat) {
        identity = FileIdentity(entry)
        size = UInt64(clamping: entry.st_size)
        isRegular = entry.st_mode & S_IFMT == S_IFREG
    }

    /// Returns whether both are the same file, whatever their size.
    func isSameFile(as other: FileStatus?) -> Bool { other?.identity == identity }
}

/// A file of the journal, open for reading.
///
/// Read with pread(2), never mapped: truncating a mapped file would crash the process.
final class JournalFile: Sendable {
    let path: String
    private let descriptor: Int32

    private init(path: String, descriptor: Int32) {
        self.path = path
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Opens a file; `nil` if it does not exist.
    static func open(_ path: String) throws(JournalError) -> JournalFile? {
        // A FIFO in its place must not block the open.
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard descriptor >= 0 else {
            guard errno != ENOENT else { return nil }
            throw JournalError(operation: "open", path: path, cause: .errno(errno))
        }
        let file = JournalFile(path: path, descriptor: descriptor)
        guard try file.status().st_mode & S_IFMT == S_IFREG else {
            throw JournalError(operation: "open", path: path, cause: .malformed("it is not a regular file"))
        }
        return file
    }

    /// Returns the current size of the file.
    func size() throws(JournalError) -> UInt64 { UInt64(max(0, try status().st_size)) }

    func status() throws(JournalError) -> stat {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw JournalError(operation: "look at", path: path, cause: .errno(errno))
        }
        return status
    }

    /// Reads up to `count` bytes, appended to the rest of a previous read.
    func read(at offset: UInt64, atMost count: Int, behind rest: ArraySlice<UInt8> = []) throws(JournalError) -> [UInt8]
    {
        guard let offset = off_t(exactly: offset) else { return Array(rest) }
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: rest.count + count) { buffer, filled in
            filled = buffer.initialize(from: rest).index
            let end = filled + count
            while filled < end, let start = buffer.baseAddress {
                let taken = pread(descriptor, start + filled, end - filled, offset + off_t(filled - rest.count))
                if taken < 0, errno == EINTR { continue }
                if taken < 0 { failure = errno }
                guard taken > 0 else { return }
                filled += taken
            }
        }
        guard failure == 0 else { throw JournalError(operation: "read", path: path, cause: .errno(failure)) }
        return bytes
    }
}
