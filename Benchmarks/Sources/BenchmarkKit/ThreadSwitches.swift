/// How often each living thread of a process went to sleep of its own accord: as often as it was woken, but for the first
/// time.
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

    /// How often a thread was woken since an earlier moment.
    ///
    /// One that has ended meanwhile was woken for that, once.
    package func wakeUps(since earlier: ThreadSwitches) -> UInt64 {
        let ended = earlier.voluntary.keys.count { voluntary[$0] == nil }
        return voluntary.reduce(UInt64(ended)) { sum, entry in
            sum + entry.value - min(entry.value, earlier.voluntary[entry.key] ?? 0)
        }
    }
}
