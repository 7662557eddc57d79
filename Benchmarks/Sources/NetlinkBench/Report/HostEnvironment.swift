internal import Glibc

/// The machine and the programs that the figures hold for.
struct HostEnvironment: Codable, Sendable {
    let kernel: String
    let cpu: String
    let cores: Int
    let memoryMegabytes: UInt64
    let agent: String
    let iproute2: String
    let isRoot: Bool
    /// /proc/loadavg before and after: what else the machine had to do.
    let loadBefore: String
    var loadAfter = ""

    init(agentPath: String, ip: IPCommand) throws(BenchmarkError) {
        kernel = ProcFile.read("/proc/sys/kernel/osrelease")?.split(separator: "\n").first.map(String.init) ?? "unknown"
        let model = ProcFile.read("/proc/cpuinfo")?.split(separator: "\n").first { $0.hasPrefix("model name") }
        cpu = model?.split(separator: ":").last.map { String($0.drop { $0 == " " }) } ?? "unknown"
        cores = sysconf(Int32(_SC_NPROCESSORS_ONLN))
        memoryMegabytes = (ProcFile.number("MemTotal", in: ProcFile.read("/proc/meminfo") ?? "") ?? 0) / 1024
        let version = try Executable.run(agentPath, ["--version"])
        guard version.status == 0 else {
            throw BenchmarkError("run '\(agentPath) --version'", cause: version.text)
        }
        agent = version.text
        iproute2 = try Executable.run(ip.path, ["-V"]).text
        isRoot = geteuid() == 0
        loadBefore = Self.load
    }

    /// The load averages of the last 1, 5 and 15 minutes.
    static var load: String {
        (ProcFile.read("/proc/loadavg") ?? "").split(separator: " ").prefix(3).joined(separator: " ")
    }
}
