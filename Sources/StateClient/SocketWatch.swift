internal import Glibc

/// Tells when a socket appears, so that nobody has to look for it again and again (inotify(7)).
final class SocketWatch {
    /// The descriptor that becomes readable (inotify(7)); negative when there is none, and then no appearance is noticed.
    let descriptor: Int32
    private let directory: String
    private let name: String
    private var watched: (number: Int32, isDirectory: Bool) = (-1, false)

    init(_ location: SocketLocation) {
        descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
        let parts = location.path.split(separator: "/", omittingEmptySubsequences: false)
        name = parts.last.map(String.init) ?? ""
        let directory = parts.dropLast().joined(separator: "/")
        self.directory = directory.isEmpty ? (location.path.hasPrefix("/") ? "/" : ".") : directory
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Starts to watch, if it does not yet.
    func start() { watched = watch() }

    /// Takes what has happened since the last call; `true` when the socket has appeared, or may have.
    ///
    /// To be called when ``descriptor`` is readable.
    func takeAppearance() -> Bool {
        if hasAppeared() { return true }
        // The directory comes and goes with the agent. In a new one the socket may be there already.
        let now = watch()
        defer { watched = now }
        return now.isDirectory && now != watched
    }

    /// Watches the directory, or the one that it is going to be in; to watch it twice is the same as once.
    private func watch() -> (number: Int32, isDirectory: Bool) {
        let mask = UInt32(IN_CREATE | IN_MOVED_TO | IN_ATTRIB | IN_DELETE_SELF)
        let number = inotify_add_watch(descriptor, directory, mask)
        guard number < 0 else { return (number, true) }
        let parent = directory.split(separator: "/").dropLast().joined(separator: "/")
        return (inotify_add_watch(descriptor, directory.hasPrefix("/") ? "/\(parent)" : "./\(parent)", mask), false)
    }

    /// Takes what inotify has to tell; whether it concerns the socket or its directory.
    private func hasAppeared() -> Bool {
        var concerns = false
        var buffer = [UInt8](repeating: 0, count: 4096)
        let header = MemoryLayout<inotify_event>.size
        let folder = directory.split(separator: "/").last.map(String.init) ?? ""
        while case let count = read(descriptor, &buffer, buffer.count), count > 0 {
            buffer.withUnsafeBytes { bytes in
                var offset = 0
                while offset + header <= count {
                    let event = bytes.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
                    let end = min(count, offset + header + Int(event.len))
                    let text = bytes[offset + header..<end].prefix { $0 != 0 }
                    let entry = String(decoding: text, as: UTF8.self)
                    if entry == name || entry == folder { concerns = true }
                    offset = end
                }
            }
        }
        return concerns
    }
}
