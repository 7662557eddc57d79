internal import AgentEvents
internal import Glibc
package import LinuxSupport

/// The file of a sink's cursor: `<state directory>/<name>.cursor`.
///
/// Replaced atomically and fsynced with its directory. A file that cannot be read counts as none: that is safe, as
/// events are shipped once more and recognised as doubles.
public struct SinkCursorFile: Sendable {
    private static let maximumBytes = 16 << 10

    /// The path of the file.
    public let path: String

    private let directory: String

    /// The file of a sink.
    ///
    /// - Parameters:
    ///   - name: The name of the sink, as the configuration allows it: no slash.
    ///   - directory: The directory, which exists.
    public init(sink name: String, in directory: String) {
        self.directory = directory
        path = "\(directory)/\(name).cursor"
    }

    /// The cursor; `nil` when there is none, or none that can be read.
    public func read() -> SinkCursor? {
        // Nothing but a regular file is read, and a FIFO in its place is not waited for.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var entry = stat()
        guard fstat(file, &entry) == 0, entry.st_mode & S_IFMT == S_IFREG,
            (1...Self.maximumBytes).contains(entry.st_size)
        else { return nil }
        let text = [UInt8](unsafeUninitializedCapacity: entry.st_size) { buffer, count in
            count = max(0, pread(file, buffer.baseAddress, buffer.count, 0))
        }
        guard text.count == entry.st_size else { return nil }
        return try? EventDecoder.decode(SinkCursor.self, from: text)
    }

    /// Replaces the cursor.
    ///
    /// - Throws: `SystemError` when it could not be written; the former cursor is still there.
    package func write(_ cursor: SinkCursor) throws(SystemError) {
        let temporary = path + ".tmp"
        do throws(SystemError) {
            try write(JSONWriter.text(of: cursor) + [0x0A], to: temporary)
            guard rename(temporary, path) == 0 else { throw SystemError(errno: errno) }
        } catch {
            unlink(temporary)
            throw error
        }
        try syncDirectory()
    }

    /// Removes the cursor; nothing happens when there is none.
    package func remove() { unlink(path) }

    private func write(_ text: [UInt8], to path: String) throws(SystemError) {
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o640)
        guard file >= 0 else { throw SystemError(errno: errno) }
        defer { close(file) }
        var rest = text[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw SystemError(errno: count < 0 ? errno : ENOSPC) }
            rest = rest.dropFirst(count)
        }
        guard fsync(file) == 0 else { throw SystemError(errno: errno) }
    }

    private func syncDirectory() throws(SystemError) {
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemError(errno: errno) }
        defer { close(descriptor) }
        // Some file systems have nothing to flush, and return EINVAL.
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw SystemError(errno: errno) }
    }
}
