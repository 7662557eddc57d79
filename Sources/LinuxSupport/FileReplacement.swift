package import Glibc

/// The new content of a file, written under a temporary name beside it and put in its place when it is complete:
/// readers find the former content or the new one, never a part.
///
/// The temporary file is removed with this value, unless it was committed; what a crash leaves of it is removed by the
/// next replacement. Two processes must not replace the same file at the same time.
package struct FileReplacement: ~Copyable {
    /// The properties of the new file.
    package struct Options: OptionSet, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Flushes the file to the disk before the rename, and its directory after it.
        package static let durable = Options(rawValue: 1)
        /// Sets the mode whatever the umask is, for a file of other users; until it is complete, it is private.
        package static let exactMode = Options(rawValue: 2)
        /// Gives the file of root to the owner of its directory.
        package static let directoryOwner = Options(rawValue: 4)
    }

    /// The end of the temporary name.
    package static let temporarySuffix = ".tmp"

    private let path: String
    private let temporary: String
    private let mode: mode_t
    private let options: Options
    private let calls: FileCalls
    private let descriptor: Int32
    private var isCommitted = false
    /// The size of the new content.
    package private(set) var bytesWritten: UInt64 = 0

    /// Creates the temporary file.
    ///
    /// - Parameters:
    ///   - path: The file to replace or create.
    ///   - mode: The mode of the new file, limited by the umask.
    package init(
        of path: String,
        mode: mode_t,
        options: Options = [],
        calls: FileCalls = .real
    ) throws(FileError) {
        let temporary = path + Self.temporarySuffix
        // It would keep its owner, its mode and its other names, and a FIFO would block.
        unlink(temporary)
        let initialMode = options.contains(.exactMode) ? mode & 0o600 : mode
        let descriptor = calls.open(temporary, O_WRONLY | O_CREAT | O_EXCL, initialMode)
        guard descriptor >= 0 else { throw FileError(operation: "create", path: temporary, errno: -descriptor) }
        if options.contains(.directoryOwner) {
            ParentDirectory.giveOwnership(of: descriptor, in: ParentDirectory.of(path))
        }
        self.path = path
        self.temporary = temporary
        self.mode = mode
        self.options = options
        self.calls = calls
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
        if !isCommitted { unlink(temporary) }
    }

    /// Replaces a file with one of this content.
    package static func write(
        _ content: [UInt8],
        to path: String,
        mode: mode_t,
        options: Options = [],
        calls: FileCalls = .real
    ) throws(FileError) {
        var replacement = try FileReplacement(of: path, mode: mode, options: options, calls: calls)
        try replacement.write(content)
        try replacement.commit()
    }

    /// The identity of the new file.
    package var identity: FileIdentity? { FileIdentity(of: descriptor) }

    /// Appends to the new content.
    package mutating func write(_ bytes: [UInt8]) throws(FileError) {
        var offset = 0
        while offset < bytes.count {
            let count = bytes.withUnsafeBytes { calls.write(descriptor, .init(rebasing: $0[offset...])) }
            if count == -Int(EINTR) { continue }
            guard count > 0 else { throw failure("write", count < 0 ? Int32(-count) : ENOSPC) }
            offset += count
            bytesWritten += UInt64(count)
        }
    }

    /// Puts the new file in the place of the former one.
    ///
    /// - Throws: An error after which the former file is still there; only if the directory could not be flushed to the
    ///   disk, it is the new one.
    package mutating func commit() throws(FileError) {
        if options.contains(.exactMode), fchmod(descriptor, mode) != 0 { throw failure("set the mode of", errno) }
        if options.contains(.durable) {
            let number = calls.sync(descriptor)
            guard number == 0 else { throw failure("sync", number) }
        }
        guard rename(temporary, path) == 0 else { throw failure("rename", errno) }
        isCommitted = true
        guard options.contains(.durable) else { return }
        let directory = ParentDirectory.of(path)
        do throws(SystemError) {
            try ParentDirectory.sync(directory)
        } catch {
            throw FileError(operation: "sync", path: directory, errno: error.errno)
        }
    }

    private func failure(_ operation: String, _ number: Int32) -> FileError {
        FileError(operation: operation, path: temporary, errno: number)
    }
}

/// The system calls on files that tests must be able to fail.
package struct FileCalls: Sendable {
    /// open(2): the descriptor, or the negative errno.
    package var open: @Sendable (_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32
    /// write(2): the number of written bytes, or the negative errno.
    package var write: @Sendable (_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int
    /// fsync(2): 0, or the errno.
    package var sync: @Sendable (_ descriptor: Int32) -> Int32

    package init(
        open: @escaping @Sendable (_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32,
        write: @escaping @Sendable (_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int,
        sync: @escaping @Sendable (_ descriptor: Int32) -> Int32
    ) {
        self.open = open
        self.write = write
        self.sync = sync
    }

    /// The real system calls.
    package static let real = FileCalls(
        open: { path, flags, mode in
            // Must not wait for the other end of a FIFO in its place.
            let descriptor = Glibc.open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, mode)
            return descriptor < 0 ? -errno : descriptor
        },
        write: { descriptor, bytes in
            let count = Glibc.write(descriptor, bytes.baseAddress, bytes.count)
            return count < 0 ? -Int(errno) : count
        },
        sync: { fsync($0) == 0 ? 0 : errno }
    )
}
