import Foundation

/// A pipe that no program which another test starts inherits: its end would come when that program's does.
///
/// It has a name for a moment, because only open(2) gives descriptors that are closed on exec from the beginning.
final class PrivatePipe: Sendable {
    let fileHandleForReading: FileHandle
    let fileHandleForWriting: FileHandle

    init() throws {
        let name = "/tmp/reachagent-pipe-\(UUID().uuidString)"
        guard mkfifo(name, 0o600) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        defer { unlink(name) }
        let reader = open(name, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        let writer = open(name, O_WRONLY | O_CLOEXEC)
        guard reader >= 0, writer >= 0, fcntl(reader, F_SETFL, 0) == 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
        fileHandleForReading = FileHandle(fileDescriptor: reader, closeOnDealloc: true)
        fileHandleForWriting = FileHandle(fileDescriptor: writer, closeOnDealloc: true)
    }
}
