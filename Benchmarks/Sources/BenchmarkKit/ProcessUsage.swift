internal import CTestbed
internal import Glibc

/// What a process has used so far.
package struct ProcessUsage {
    /// Time on a CPU, user and kernel, of all threads that it ever had.
    package let cpuNanoseconds: UInt64
    private let switches: ThreadSwitches
    package let residentKilobytes: UInt64
    /// What is resident, a page that several processes share counted in parts.
    package let proportionalKilobytes: UInt64
    /// What would be free without this process.
    package let privateKilobytes: UInt64
    package let privateDirtyKilobytes: UInt64

    package init(of identifier: Int32) {
        cpuNanoseconds = Self.cpuNanoseconds(of: identifier)
        switches = ThreadSwitches(of: identifier)
        // Walks the page tables: exact, where the figure in /proc/PID/status is batched by CPU.
        let memory = ProcFile.read("/proc/\(identifier)/smaps_rollup") ?? ""
        residentKilobytes = ProcFile.number("Rss", in: memory) ?? 0
        proportionalKilobytes = ProcFile.number("Pss", in: memory) ?? 0
        privateDirtyKilobytes = ProcFile.number("Private_Dirty", in: memory) ?? 0
        privateKilobytes = privateDirtyKilobytes + (ProcFile.number("Private_Clean", in: memory) ?? 0)
    }

    /// Time on a CPU since an earlier moment.
    package func cpuNanoseconds(since earlier: ProcessUsage) -> UInt64 {
        cpuNanoseconds > earlier.cpuNanoseconds ? cpuNanoseconds - earlier.cpuNanoseconds : 0
    }

    /// How often a thread was woken since an earlier moment.
    package func wakeUps(since earlier: ProcessUsage) -> UInt64 { switches.wakeUps(since: earlier.switches) }

    /// How many threads are alive.
    package var threads: Int { switches.threads }
}

extension ProcessUsage {
    /// Time on a CPU, user and kernel, of all threads that a living process ever had; 0 when it has gone.
    package static func cpuNanoseconds(of identifier: Int32) -> UInt64 { testbed_cpu_time(identifier) }

    /// Time on a CPU, user and kernel, of all threads that this process ever had.
    package static var ownCPUNanoseconds: UInt64 { cpuNanoseconds(of: getpid()) }

    /// The most memory that a living process ever had resident; 0 when it has gone.
    ///
    /// Not getrusage's figure, which knows what the process was before it became this program.
    package static func peakResidentKilobytes(of identifier: Int32) -> UInt64 {
        ProcFile.number("VmHWM", in: ProcFile.read("/proc/\(identifier)/status") ?? "") ?? 0
    }

    static func cpuNanoseconds(_ usage: rusage) -> UInt64 {
        [usage.ru_utime, usage.ru_stime].reduce(0) {
            $0 + UInt64(max(0, $1.tv_sec)) * 1_000_000_000 + UInt64(max(0, $1.tv_usec)) * 1000
        }
    }
}
