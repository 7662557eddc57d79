internal import Glibc
internal import StatePages

extension AgentMetrics.ProcessMetrics {
    /// The resources of this process; `nil` where /proc is not there.
    ///
    /// - Parameter started: The start of the agent, in seconds since 1970.
    static func current(started: Double) -> Self? {
        guard let text = text(of: "/proc/self/stat"), let name = text.lastIndex(of: ")") else { return nil }
        // After the name of the program, which may contain anything (proc_pid_stat(5)): field 3 and on.
        let fields = text[text.index(after: name)...].split(separator: " ")
        func field(_ number: Int) -> UInt64? { fields.count > number - 3 ? UInt64(fields[number - 3]) : nil }
        guard let user = field(14), let system = field(15), let threads = field(20), let virtual = field(23),
            let pages = field(24)
        else { return nil }
        var usage = rlimit()
        getrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &usage)
        return Self(
            cpuSeconds: Double(user + system) / Double(max(1, sysconf(Int32(_SC_CLK_TCK)))),
            residentBytes: pages * UInt64(max(1, sysconf(Int32(_SC_PAGESIZE)))),
            virtualBytes: virtual,
            threads: Int(clamping: threads),
            openFiles: openFiles(),
            maximumFiles: UInt64(usage.rlim_cur),
            started: started
        )
    }

    private static func text(of path: String) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(file, &bytes, bytes.count)
        return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
    }

    private static func openFiles() -> Int? {
        guard let folder = opendir("/proc/self/fd") else { return nil }
        defer { closedir(folder) }
        var count = 0
        while let entry = readdir(folder) { if entry.pointee.d_name.0 != 46 { count += 1 } }
        // One of them is the folder's.
        return max(0, count - 1)
    }
}
