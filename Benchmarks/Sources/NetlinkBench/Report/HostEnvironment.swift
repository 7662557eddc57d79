internal import BenchmarkKit
internal import NetworkTestbed

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
        kernel = Host.kernel
        cpu = Host.cpu
        cores = Host.cores
        memoryMegabytes = Host.memoryMegabytes
        let version = try Executable.run(agentPath, ["--version"])
        guard version.status == 0 else {
            throw BenchmarkError("run '\(agentPath) --version'", cause: version.text)
        }
        agent = version.text
        iproute2 = try Executable.run(ip.path, ["-V"]).text
        isRoot = Host.isRoot
        loadBefore = Host.load
    }
}
