import Foundation
import Glibc
import Synchronization

/// Kills the group of a program that takes too long, and keeps what its threads were doing, which says why.
///
///     let watchdog = Watchdog(of: group, after: .seconds(60))
///     // Wait for the program, without reaping it.
///     let threads = watchdog.stop()
final class Watchdog: Sendable {
    private struct State {
        var isOver = false
        var threads: String?
    }

    private let state = Mutex(State())

    /// Starts to watch a process group, whose leader has not been reaped.
    init(of group: pid_t, after time: DispatchTimeInterval) {
        DispatchQueue.global().asyncAfter(deadline: .now() + time) { [self] in
            state.withLock { state in
                // Once the leader has been reaped, the number may be another group's.
                guard !state.isOver else { return }
                state.threads = Self.threads(of: group)
                kill(-group, SIGKILL)
            }
        }
    }

    /// Watches no longer: to be called before the leader is reaped.
    ///
    /// - Returns: The threads before they were killed, a line each; `nil` if the program ended in time.
    func stop() -> String? {
        state.withLock { state in
            state.isOver = true
            return state.threads
        }
    }

    /// The threads of a group's processes: the name, the state and the processor time in ticks (proc_pid_stat(5)), the
    /// kernel's function in which they wait, and the number and arguments of the system call.
    private static func threads(of group: pid_t) -> String {
        func text(_ path: String) -> String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }
        func numbers(in path: String) -> [Int32] {
            ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).compactMap { Int32($0) }.sorted()
        }
        let processes = numbers(in: "/proc").filter { getpgid($0) == group }
        let tasks = processes.flatMap { process in
            numbers(in: "/proc/\(process)/task").map { "\(process)/task/\($0)" }
        }
        return tasks.map { task in
            let stat = text("/proc/\(task)/stat")
            let fields = stat[(stat.lastIndex(of: ")") ?? stat.startIndex)...].split(separator: " ")
            let (state, time) = fields.count > 13 ? (fields[1], "\(fields[12])+\(fields[13])") : ("gone", "")
            let name = text("/proc/\(task)/comm").split(separator: "\n").joined()
            return "\(task) \(name) \(state) \(time) \(text("/proc/\(task)/wchan")) \(text("/proc/\(task)/syscall"))"
        }.joined(separator: "\n")
    }
}
