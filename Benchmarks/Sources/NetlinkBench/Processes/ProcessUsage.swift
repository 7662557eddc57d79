internal import CTestbed

/// What a process has used so far.
struct ProcessUsage {
    /// Time on a CPU, user and kernel, of all threads that it ever had.
    let cpuNanoseconds: UInt64
    /// How often each living thread went to sleep of its own accord: as often as it was woken, but for the first time.
    private let voluntarySwitches: [String: UInt64]
    let residentKilobytes: UInt64
    let privateDirtyKilobytes: UInt64

    init(of identifier: Int32) {
        let process = "/proc/\(identifier)"
        cpuNanoseconds = testbed_cpu_time(identifier)
        voluntarySwitches = Dictionary(
            uniqueKeysWithValues: ProcFile.names(in: "\(process)/task").map { thread in
                let status = ProcFile.read("\(process)/task/\(thread)/status") ?? ""
                return (thread, ProcFile.number("voluntary_ctxt_switches", in: status) ?? 0)
            }
        )
        // Walks the page tables: exact, where the figure in /proc/PID/status is batched by CPU.
        let memory = ProcFile.read("\(process)/smaps_rollup") ?? ""
        residentKilobytes = ProcFile.number("Rss", in: memory) ?? 0
        privateDirtyKilobytes = ProcFile.number("Private_Dirty", in: memory) ?? 0
    }

    /// Time on a CPU since an earlier moment.
    func cpuNanoseconds(since earlier: ProcessUsage) -> UInt64 {
        cpuNanoseconds > earlier.cpuNanoseconds ? cpuNanoseconds - earlier.cpuNanoseconds : 0
    }

    /// How often a thread was woken since an earlier moment.
    ///
    /// One that has ended meanwhile was woken for that, once.
    func wakeUps(since earlier: ProcessUsage) -> UInt64 {
        let ended = earlier.voluntarySwitches.keys.count { voluntarySwitches[$0] == nil }
        return voluntarySwitches.reduce(UInt64(ended)) { sum, entry in
            sum + entry.value - min(entry.value, earlier.voluntarySwitches[entry.key] ?? 0)
        }
    }
}
