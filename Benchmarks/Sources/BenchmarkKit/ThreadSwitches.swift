/// The number of voluntary context switches of each live thread of a process.
///
/// Each of them but the first follows a wake-up of the thread, so that their growth is the number of wake-ups.
package struct ThreadSwitches {
    private let voluntary: [String: UInt64]

    package init(of identifier: Int32) {
        let tasks = "/proc/\(identifier)/task"
        voluntary = Dictionary(
            uniqueKeysWithValues: ProcFile.names(in: tasks).map { thread in
                let status = ProcFile.read("\(tasks)/\(thread)/status") ?? ""
                return (thread, ProcFile.number("voluntary_ctxt_switches", in: status) ?? 0)
            }
        )
    }

    package var threads: Int { voluntary.count }

    /// Returns the number of wake-ups of all threads since an earlier moment.
    ///
    /// A thread that has exited meanwhile counts as one wake-up, the one before its exit.
    package func wakeUps(since earlier: ThreadSwitches) -> UInt64 {
        let ended = earlier.voluntary.keys.count { voluntary[$0] == nil }
        return voluntary.reduce(UInt64(ended)) { sum, entry in
            sum + entry.value - min(entry.value, earlier.voluntary[entry.key] ?? 0)
        }
    }
}
