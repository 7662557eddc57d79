internal import Glibc
internal import LinuxSupport

/// Waits for changes in a journal's directory (inotify(7)), also after it was removed, moved or replaced.
///
/// The kernel reports the removal of a watched directory only when nothing in it is open anymore, so the directory above
/// it is watched as well, or the nearest one that exists. A move of one further up is noticed within seconds.
final class JournalWatch {
    private static let changes = UInt32(IN_MODIFY | IN_CREATE | IN_MOVED_TO)
    private static let replacements = UInt32(IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_MOVE_SELF)
    /// The time between checks of the name, in milliseconds: the kernel reports no move of an unwatched directory.
    private static let checkInterval: Int32 = 5000

    /// The result of a sleep.
    private enum Report { case nothing, change, replacement }

    private let directory: String
    private var descriptor: Int32 = -1
    /// The inotify watch of the directory; negative for none.
    private var watch: Int32 = -1
    /// The watched directory; `nil` while there is none.
    private var watched: FileIdentity?

    /// The directory that has the name now.
    private var identity: FileIdentity? { FileIdentity(at: directory, followsLink: true) }

    /// Starts watching a directory; `nil` with errno if the system has no inotify watch left.
    init?(directory: String) {
        self.directory = directory
        guard renew() else { return nil }
    }

    deinit { close(descriptor) }

    /// Blocks until something may have been written since the last call.
    ///
    /// - Returns: `false` with errno if the directory cannot be watched anymore.
    func wait() -> Bool {
        while true {
            let report = sleep()
            // After an unseen move of a directory above, the name is that of another directory.
            if report != .replacement, identity == watched {
                if report == .change { return true }
                continue
            }
            guard renew() else { return false }
            if watched != nil { return true }
        }
    }

    /// Sleeps until the kernel reports something, or until the name must be checked.
    private func sleep() -> Report {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&entry, 1, Self.checkInterval) > 0 else { return .nothing }
        return withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
            var count = 0
            repeat { count = read(descriptor, buffer.baseAddress, buffer.count) } while count < 0 && errno == EINTR
            var offset = 0
            let size = MemoryLayout<inotify_event>.size
            while offset + size <= count {
                let event = UnsafeRawBufferPointer(buffer).loadUnaligned(
                    fromByteOffset: offset,
                    as: inotify_event.self
                )
                // The successor of a removed directory may have its inode, and is not watched.
                if event.wd != watch || event.mask & UInt32(IN_IGNORED) != 0 { return .replacement }
                offset += size + Int(event.len)
            }
            // The kind of change does not matter: reading resumes where it last ended.
            return .change
        }
    }

    /// Watches the directory that has the name now, and those above it up to one that exists; `false` on failure.
    private func renew() -> Bool {
        repeat {
            close(descriptor)
            descriptor = inotify_init1(Int32(IN_CLOEXEC))
            guard descriptor >= 0 else { return false }
            watched = identity
            watch = inotify_add_watch(descriptor, directory, Self.changes)
            if watch < 0 {
                guard errno == ENOENT else { return false }
                watched = nil
            }
            guard watchAbove(directory) else { return false }
            // One that was created or replaced before the watch began would not be reported.
        } while identity != watched
        return true
    }

    /// Watches the nearest directory above a path that exists.
    private func watchAbove(_ path: String) -> Bool {
        var path = path
        repeat {
            path = Self.parent(of: path)
            // `.` is above itself by its name, and has one watch.
            if inotify_add_watch(descriptor, path, Self.replacements | UInt32(IN_MASK_ADD)) >= 0 { return true }
        } while errno == ENOENT && path != "/" && path != "."
        // A directory that may be entered but not listed cannot be watched: its changes go unnoticed.
        return errno == EACCES && watched != nil
    }

    private static func parent(of path: String) -> String {
        var path = path[...]
        while path.count > 1, path.hasSuffix("/") { path = path.dropLast() }
        return ParentDirectory.of(String(path))
    }
}
