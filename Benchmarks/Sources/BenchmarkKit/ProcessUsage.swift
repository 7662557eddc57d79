internal import CTestbed
internal import Glibc

/// The resource usage of a process at one moment: CPU time, context switches, memory and threads.
package struct ProcessUsage {
    /// The CPU time, user and kernel, of all threads that the process ever had.
    package let cpuNanoseconds: UInt64
    private let switches: ThreadSwitches
    package let residentKilobytes: UInt64
    /// The proportional set size: the resident set, with each shared page divided by the number of its processes.
    package let proportionalKilobytes: UInt64
    /// The unique set size: the private pages, clean and dirty, which would be freed if the process exited.
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

    /// Returns the CPU time used since an earlier moment.
    package func cpuNanoseconds(since earlier: ProcessUsage) -> UInt64 {
        cpuNanoseconds > earlier.cpuNanoseconds ? cpuNanoseconds - earlier.cpuNanoseconds : 0
    }

    /// Returns the number of wake-ups of all threads since an earlier moment.
    package func wakeUps(since earlier: ProcessUsage) -> UInt64 { switches.wakeUps(since: earlier.switches) }

    /// The number of live threads.
    package var threads: Int { switches.threads }
}

extension ProcessUsage {
    /// Returns the CPU time, user and kernel, of all threads that a live process ever had; 0 if it has exited.
    package static func cpuNanoseconds(of identifier: Int32) -> UInt64 { testbed_cpu_time(identifier) }

    /// The CPU time, user and kernel, of all threads that this process ever had.
    package static var ownCPUNanoseconds: UInt64 { cpuNanoseconds(of: getpid()) }

    /// Returns the peak resident set size of a live process; 0 if it has exited.
    ///
    /// The figure of getrusage(2) is not used: it includes the process image before execve(2).
    package static func peakResidentKilobytes(of identifier: Int32) -> UInt64 {
        ProcFile.number("VmHWM", in: ProcFile.read("/proc/\(identifier)/status") ?? "") ?? 0
    }

    static func cpuNanoseconds(_ usage: rusage) -> UInt64 {
        [usage.ru_utime, usage.ru_stime].reduce(0) {
            $0 + UInt64(max(0, $1.tv_sec)) * 1_000_000_000 + UInt64(max(0, $1.tv_usec)) * 1000
        }
    }
}
