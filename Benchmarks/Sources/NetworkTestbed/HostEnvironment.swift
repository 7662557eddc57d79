package import BenchmarkKit

/// The machine and the programs that the figures hold for.
package struct HostEnvironment: Codable, Sendable {
    package let kernel: String
    package let cpu: String
    package let cores: Int
    package let memoryMegabytes: UInt64
    package let agent: String
    package let iproute2: String
    package let isRoot: Bool
    /// /proc/loadavg before and after: what else the machine had to do.
    package let loadBefore: String
    package var loadAfter = ""

    package init(agentPath: String, ip: IPCommand) throws(BenchmarkError) {
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

    /// Three lines for the head of a report.
    package var text: String {
        """
        Linux \(kernel), \(cores) x \(cpu), \(memoryMegabytes) MB, \(isRoot ? "root" : "user namespace")
        reachagent \(agent), \(iproute2)
        load \(loadBefore) before, \(loadAfter) after
        """
    }
}
