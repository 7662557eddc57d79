internal import Glibc
internal import LinuxSupport

/// Tells when a socket appears, so that nobody has to look for it again and again (inotify(7)).
final class SocketWatch {
    /// inotify; negative when there is none, and then nothing is ever told.
    private let descriptor: Int32
    private let directory: String
    private let name: String

    init(_ location: SocketLocation) {
        descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
        let parts = location.path.split(separator: "/", omittingEmptySubsequences: false)
        name = parts.last.map(String.init) ?? ""
        let directory = parts.dropLast().joined(separator: "/")
        self.directory = directory.isEmpty ? (location.path.hasPrefix("/") ? "/" : ".") : directory
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Sleeps until the socket appears, the deadline is over, or the thread is woken.
    func sleep(deadline: ContinuousClock.Instant, wakeup: Wakeup) -> Wakeup.Reason {
        guard descriptor >= 0 else { return wakeup.sleep(deadline: deadline) }
        var watched = watch()
        while true {
            let reason = wakeup.sleep(untilReady: descriptor, for: POLLIN, deadline: deadline)
            guard reason == .ready else { return reason }
            if hasAppeared() { return .ready }
            // The directory comes and goes with the agent. In a new one the socket may be there already.
            let now = watch()
            if now.isDirectory, now != watched { return .ready }
            watched = now
        }
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
