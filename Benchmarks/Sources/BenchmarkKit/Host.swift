internal import Glibc

/// The machine that the figures hold for.
package enum Host {
    /// The kernel's release.
    package static var kernel: String {
        ProcFile.read("/proc/sys/kernel/osrelease")?.split(separator: "\n").first.map(String.init) ?? "unknown"
    }

    /// The first CPU's model.
    package static var cpu: String {
        let model = ProcFile.read("/proc/cpuinfo")?.split(separator: "\n").first { $0.hasPrefix("model name") }
        return model?.split(separator: ":").last.map { String($0.drop { $0 == " " }) } ?? "unknown"
    }

    package static var cores: Int { sysconf(Int32(_SC_NPROCESSORS_ONLN)) }

    package static var memoryMegabytes: UInt64 {
        (ProcFile.number("MemTotal", in: ProcFile.read("/proc/meminfo") ?? "") ?? 0) / 1024
    }

    package static var isRoot: Bool { geteuid() == 0 }

    /// The load averages of the last 1, 5 and 15 minutes: what else the machine had to do.
    package static var load: String {
        (ProcFile.read("/proc/loadavg") ?? "").split(separator: " ").prefix(3).joined(separator: " ")
    }
}
