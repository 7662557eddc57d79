internal import AgentEvents
internal import Glibc
internal import Sinks

/// The list of the sinks, as the agent has written it.
enum SinkDocumentFile {
    /// The result of reading it.
    enum Result: Equatable {
        /// The sinks.
        case sinks(SinkDocument)
        /// There is none: no sink is configured.
        case absent
        /// It cannot be used, for this reason.
        case unusable(String)
    }

    /// Reads the document in the agent's directory.
    static func read(in directory: String) -> Result {
        let path = "\(directory)/\(SinkDocument.fileName)"
        // A FIFO in its place is not waited for.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else {
            return errno == ENOENT ? .absent : .unusable("cannot open \(path): \(String(cString: strerror(errno)))")
        }
        defer { close(file) }
        var entry = stat()
        guard fstat(file, &entry) == 0, entry.st_mode & S_IFMT == S_IFREG else {
            return .unusable("\(path) is not a regular file")
        }
        guard entry.st_size <= SinkDocument.maximumBytes else {
            return .unusable("\(path) has more than \(SinkDocument.maximumBytes) bytes")
        }
        let size = max(0, Int(entry.st_size))
        let text = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            count = max(0, pread(file, buffer.baseAddress, buffer.count, 0))
        }
        do {
            let document = try EventDecoder.decode(SinkDocument.self, from: text)
            let names = Set(document.sinks.map(\.name))
            guard names.count == document.sinks.count else { return .unusable("\(path) has two sinks of one name") }
            return .sinks(document)
        } catch {
            return .unusable("\(path) is not a list of sinks of this version: \(error)")
        }
    }
}
