internal import CommandText
internal import Glibc

/// The form of a log message, which depends on the reader of standard error.
package enum LogForm: Sendable, Equatable {
    /// systemd's journal, which notes the time and the program itself: `<4>message`.
    case journal
    /// Somebody at a terminal: local time, level, message.
    case terminal(hasColour: Bool)
    /// A file, a pipe, another log daemon: `2026-11-21T07:00:00.123456Z reachagent: warning: message`.
    case plain

    /// The form for what a descriptor leads to.
    ///
    /// - Parameter journalStream: `JOURNAL_STREAM`, which systemd sets to the device and inode of the connection to its
    ///   journal (systemd.exec(5)). It stays set when standard error is redirected, so that it is set says nothing yet.
    package static func of(
        _ descriptor: Int32,
        journalStream: String? = getenv("JOURNAL_STREAM").map { String(cString: $0) }
    ) -> LogForm {
        var status = stat()
        if fstat(descriptor, &status) == 0,
            names(journalStream, device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
        {
            return .journal
        }
        guard isatty(descriptor) == 1 else { return .plain }
        return .terminal(hasColour: TerminalStyle.takesColour(descriptor))
    }

    /// Returns true when a value of `JOURNAL_STREAM` means this file.
    static func names(_ journalStream: String?, device: UInt64, inode: UInt64) -> Bool {
        journalStream == "\(device):\(inode)"
    }
}
