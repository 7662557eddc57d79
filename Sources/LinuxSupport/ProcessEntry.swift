package import Glibc

/// A process as /proc shows it (proc_pid_stat(5)).
package struct ProcessEntry: Sendable, Hashable {
    /// The ID of the parent.
    package let parent: pid_t
    /// The start time, in clock ticks after the boot, which distinguishes the process from a later one with its ID.
    package let began: UInt64
    /// `true` for a process that has ended, of which its parent has not taken notice.
    package let isDead: Bool

    /// Reads the entry of a process; `nil` if there is none, or if it cannot be read.
    package init?(of process: pid_t) {
        let descriptor = open("/proc/\(process)/stat", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 1024)
        let count = read(descriptor, &bytes, bytes.count)
        guard count > 0 else { return nil }
        self.init(parsing: bytes[..<count])
    }

    /// Parses the line: the name in parentheses, which may contain anything, is followed by the state, the parent, and
    /// 18 fields later the start time.
    init?(parsing line: ArraySlice<UInt8>) {
        guard let end = line.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = line[(end + 1)...].split(separator: UInt8(ascii: " "))
        guard fields.count > 19, let parent = pid_t(String(decoding: fields[1], as: UTF8.self)),
            let began = UInt64(String(decoding: fields[19], as: UTF8.self))
        else { return nil }
        self.parent = parent
        self.began = began
        isDead = fields[0].elementsEqual("Z".utf8) || fields[0].elementsEqual("X".utf8)
    }
}

/// A process, distinguished from later ones with its ID.
package struct ProcessIdentity: Sendable, Hashable {
    private let number: pid_t
    private let began: UInt64?

    /// Creates the identity of the process that has an ID now; one of another PID namespace has 0.
    package init(of process: pid_t) { self.init(number: process, began: ProcessEntry(of: process)?.began) }

    init(number: pid_t, began: UInt64?) {
        self.number = number
        self.began = began
    }

    /// `true` if the process has certainly ended.
    package var hasEnded: Bool {
        guard number > 0 else { return false }
        if let began, let entry = ProcessEntry(of: number) { return entry.began != began || entry.isDead }
        return kill(number, 0) != 0 && errno == ESRCH
    }
}
