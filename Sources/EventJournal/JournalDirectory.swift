internal import Glibc
internal import LinuxSupport

/// The files of a journal's directory.
struct JournalDirectory: Sendable {
    /// The mode of a new file.
    static let mode: mode_t = 0o640

    /// The path of the directory.
    let path: String
    let system: JournalSystem

    /// The journal's own files in the directory.
    struct Listing: Sendable {
        /// All segments, from the oldest on.
        var segments: [SegmentName] = []
        var plain: Set<SegmentName> = []
        var compressed: Set<SegmentName> = []
        var indexes: Set<SegmentName> = []
        /// The incomplete files that a crash left.
        var leftovers: [String] = []
    }

    func path(of name: String) -> String { path.hasSuffix("/") ? path + name : path + "/" + name }

    /// Creates the directory if it is missing, and the agent's own parent directories.
    ///
    /// Other parents must exist: when their disk is not mounted, nothing is written in its place.
    func make() throws(JournalError) {
        if ParentDirectory.makeDirectory(path, mode: 0o750) || errno == EEXIST { return }
        var error = errno
        if error == ENOENT {
            let reason = makeParents()
            if ParentDirectory.makeDirectory(path, mode: 0o750) || errno == EEXIST { return }
            // That the parent is missing is only the consequence of the reason that it cannot be created.
            error = errno == ENOENT ? reason ?? ENOENT : errno
        }
        // A read-only file system returns its error even if the directory exists.
        guard status(of: ".") == nil else { return }
        throw JournalError(operation: "create", path: path, cause: .errno(error))
    }

    /// Creates the parents: everything below the user's state directory, and elsewhere only a directory `reachagent`.
    ///
    /// - Returns: The error of the last one that is missing and cannot be created, other than that its own parent is
    ///   missing; `nil` if there is none.
    private func makeParents() -> Int32? {
        guard let slash = path.lastIndex(of: "/") else { return nil }
        let parent = path[..<slash]
        var reason: Int32?
        func make(_ directory: String, _ mode: mode_t) {
            if mkdir(directory, mode) != 0, errno != EEXIST, errno != ENOENT { reason = errno }
        }
        if isBelowStateHome {
            var above = ""
            for part in parent.split(separator: "/") {
                above += "/" + part
                make(above, 0o700)
            }
        } else if parent.hasSuffix("/reachagent") {
            make(String(parent), 0o755)
        }
        return reason
    }

    private var isBelowStateHome: Bool {
        if let home = getenv("XDG_STATE_HOME"), home.pointee != 0 {
            return path.hasPrefix(String(cString: home) + "/")
        }
        guard let home = getenv("HOME"), home.pointee != 0 else { return false }
        return path.hasPrefix(String(cString: home) + "/.local/state/")
    }

    /// Lists the journal's own files.
    func list() throws(JournalError) -> Listing {
        var listing = Listing()
        for name in try names() { add(name, to: &listing) }
        listing.segments = listing.plain.union(listing.compressed).sorted()
        return listing
    }

    private func names() throws(JournalError) -> [String] {
        do throws(SystemError) {
            return try DirectoryStream.names(in: path).map { String(decoding: $0, as: UTF8.self) }
        } catch {
            throw JournalError(operation: "read", path: path, cause: .errno(error.errno))
        }
    }

    private func add(_ name: String, to listing: inout Listing) {
        if name.hasSuffix(FileReplacement.temporarySuffix), name.hasPrefix("events-") || name.hasPrefix("stream") {
            listing.leftovers.append(name)
        }
        guard let segment = SegmentName(fileName: name) else { return }
        if name == segment.index {
            listing.indexes.insert(segment)
        } else if status(of: name)?.isRegular == true {
            if name == segment.plain { listing.plain.insert(segment) } else { listing.compressed.insert(segment) }
        }
    }

    /// Opens a file.
    func open(_ name: String, _ flags: Int32) throws(JournalError) -> OpenFile {
        let descriptor = system.open(path(of: name), flags, Self.mode)
        guard descriptor >= 0 else {
            throw JournalError(operation: "open", path: path(of: name), cause: .errno(-descriptor))
        }
        if flags & O_CREAT != 0 { ParentDirectory.giveOwnership(of: descriptor, in: path) }
        return OpenFile(descriptor: descriptor, path: path(of: name))
    }

    /// Returns the status of the file with a name; `nil` if there is none.
    func status(of name: String) -> FileStatus? {
        var entry = stat()
        guard lstat(path(of: name), &entry) == 0 else { return nil }
        return FileStatus(entry)
    }

    /// Returns the content of a small file; `nil` when it cannot be read or is longer.
    func read(_ name: String, atMost limit: Int) -> [UInt8]? {
        guard let file = try? open(name, O_RDONLY), let size = file.status()?.size, size <= limit else { return nil }
        let content = [UInt8](unsafeUninitializedCapacity: Int(size)) { buffer, count in
            count = max(0, pread(file.descriptor, buffer.baseAddress, buffer.count, 0))
        }
        return content.count == Int(size) ? content : nil
    }

    /// Atomically replaces the content of a file.
    func replace(_ name: String, with content: [UInt8], syncs: Bool) throws(JournalError) {
        let options: FileReplacement.Options = syncs ? [.directoryOwner, .durable] : .directoryOwner
        do throws(FileError) {
            let file = path(of: name)
            try FileReplacement.write(content, to: file, mode: Self.mode, options: options, calls: system.files)
        } catch {
            throw JournalError(error)
        }
    }

    /// Removes a file; errors are ignored.
    func remove(_ name: String) { unlink(path(of: name)) }

    /// Flushes the directory's entries to the disk.
    func sync() throws(JournalError) {
        do throws(SystemError) {
            try ParentDirectory.sync(path)
        } catch {
            throw JournalError(operation: "sync", path: path, cause: .errno(error.errno))
        }
    }
}

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

    /// The calls with which a file is replaced.
    var files: FileCalls { FileCalls(open: open, write: write, sync: sync) }

    /// The real system calls.
    static let real = JournalSystem(
        open: FileCalls.real.open,
        write: FileCalls.real.write,
        sync: { fdatasync($0) == 0 ? 0 : errno },
        now: { .now }
    )
}
