internal import Glibc

/// A watch for the next change of the files that paths lead to (inotify(7)).
///
/// A file changes when it is written, and when it, or a symbolic link or a directory on its path, is created, replaced or
/// removed; it need not exist yet. The kernel watches inodes and not paths, so everything on a path is watched by itself.
/// Behind a change a path may lead elsewhere, so each watch reports one: the owner replaces it, and then reads the files.
///
/// Not reported are mounts on a path, and changes behind a directory that this process may not list.
package struct PathWatch: ~Copyable, Sendable {
    /// The maximum number of links on a path, as for the kernel (path_resolution(7)).
    private static let maximumLinks = 40
    private static let file = UInt32(IN_MODIFY | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF) | dontFollow
    private static let directory = UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR) | dontFollow
    private static let entries =
        UInt32(IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB | IN_ONLYDIR) | dontFollow
    /// A link must be read before it is followed: the watch would be that of its target alone.
    private static let dontFollow = UInt32(IN_DONT_FOLLOW | IN_MASK_ADD)

    /// The bytes of a path or a name, of any encoding.
    private typealias Bytes = [CChar]

    /// The descriptor that becomes readable when ``takeChange()`` has something to read.
    package let descriptor: Int32
    /// The names in watched directories that are on a path.
    private var names: [Int32: Set<Bytes>] = [:]

    /// Watches what absolute paths lead to now.
    ///
    /// - Throws: The error of the system, which has too few descriptors, watches or instances, or no inotify(7) at all.
    package init(_ paths: [String]) throws(SystemError) {
        descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
        guard descriptor >= 0 else { throw SystemError(errno: errno) }
        for path in paths { try follow(path) }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Reads what was reported, and returns whether a file may have changed; other entries of its directories do not
    /// count.
    package func takeChange() -> Bool {
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
            let count = read(descriptor, buffer.baseAddress, buffer.count)
            guard count >= 0 else { return errno != EAGAIN && errno != EINTR }
            let size = MemoryLayout<inotify_event>.size
            var offset = 0
            while offset + size <= count {
                let event = UnsafeRawBufferPointer(buffer).loadUnaligned(
                    fromByteOffset: offset,
                    as: inotify_event.self
                )
                let end = min(offset + size + Int(event.len), count)
                let name = buffer[offset + size..<end].prefix { $0 != 0 }.map(CChar.init(bitPattern:))
                // Without a name it is the watched inode itself, or the queue has overflowed.
                if name.isEmpty || names[event.wd]?.contains(name) == true { return true }
                offset = end
            }
            return false
        }
    }

    /// Watches everything on a path, from the root on.
    ///
    /// Each watch begins before what it is for is examined, so that nothing is missed in between.
    private mutating func follow(_ path: String) throws(SystemError) {
        // Without links, so that the directory above is that of the name.
        var directory: Bytes = []
        var rest = Self.names(in: path.utf8.map(CChar.init(bitPattern:)))
        var links = 0
        while let name = rest.popLast() {
            if name == Self.above {
                directory = Array(directory.prefix(max(directory.lastIndex(of: Self.slash) ?? 0, 0)))
                continue
            }
            let entry = directory + [Self.slash] + name
            if try add(entry, Self.directory) == nil {
                if let watch = try add(directory + [Self.slash], Self.entries) {
                    names[watch, default: []].insert(name)
                }
                guard try add(entry, Self.directory) == nil else {
                    // It was created meanwhile.
                    directory = entry
                    continue
                }
                guard let target = Self.target(of: entry) else {
                    _ = try add(entry, Self.file)
                    return
                }
                links += 1
                guard links <= Self.maximumLinks else { return }
                if target.first == Self.slash { directory = [] }
                rest += Self.names(in: target)
            } else {
                directory = entry
            }
        }
    }

    /// Adds a watch, and returns its number; `nil` if there is nothing of the kind that may be watched.
    private func add(_ path: Bytes, _ events: UInt32) throws(SystemError) -> Int32? {
        let watch = inotify_add_watch(descriptor, path + [0], events)
        if watch < 0, errno == ENOSPC || errno == ENOMEM { throw SystemError(errno: errno) }
        return watch < 0 ? nil : watch
    }

    private static let slash = CChar(bitPattern: UInt8(ascii: "/"))
    private static let dot = CChar(bitPattern: UInt8(ascii: "."))
    private static let above: Bytes = [dot, dot]

    /// The names on a path, the last one first.
    private static func names(in path: Bytes) -> [Bytes] {
        path.split(separator: slash).map(Array.init).filter { $0 != [dot] }.reversed()
    }

    /// The target of a symbolic link; `nil` if there is none.
    private static func target(of link: Bytes) -> Bytes? {
        var buffer = Bytes(repeating: 0, count: Int(PATH_MAX))
        let count = readlink(link + [0], &buffer, buffer.count)
        return count > 0 ? Array(buffer.prefix(count)) : nil
    }
}
