import Foundation

/// How often each thread of a process went to sleep, which is how often it was woken up.
enum ThreadSleeps {
    /// The count of each thread so far, by its id and name.
    static func counts(of process: Int32) throws -> [String: String] {
        let tasks = "/proc/\(process)/task"
        var counts: [String: String] = [:]
        for task in try FileManager.default.contentsOfDirectory(atPath: tasks) {
            let status = try String(contentsOfFile: "\(tasks)/\(task)/status", encoding: .utf8)
            let lines = status.split(separator: "\n")
            let name = lines.first { $0.hasPrefix("Name:") }?.dropFirst(6) ?? ""
            let count = lines.first { $0.hasPrefix("voluntary_ctxt_switches:") }?.split(separator: "\t").last ?? ""
            counts["\(task) \(name)"] = String(count)
        }
        return counts
    }
}

/// What a process has of the kernel's.
enum ProcessTable {
    /// The descriptors that a process has open, by what they lead to; pipes, sockets and the like without their numbers.
    static func descriptors(of process: Int32) throws -> [String: Int] {
        let folder = "/proc/\(process)/fd"
        var counts: [String: Int] = [:]
        for descriptor in try FileManager.default.contentsOfDirectory(atPath: folder) {
            // One that was closed meanwhile is none.
            guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(descriptor)")
            else { continue }
            counts[String(target.prefix { $0 != "[" }), default: 0] += 1
        }
        return counts
    }

    /// The states of a process's children: `Z` for one that has ended and that nobody has asked about.
    static func children(of process: Int32) throws -> [String] {
        var states: [String] = []
        for name in try FileManager.default.contentsOfDirectory(atPath: "/proc") where Int32(name) != nil {
            guard let line = try? String(contentsOfFile: "/proc/\(name)/stat", encoding: .utf8),
                let end = line.lastIndex(of: ")")
            else { continue }
            let fields = line[line.index(after: end)...].split(separator: " ")
            if fields.count > 1, Int32(fields[1]) == process { states.append(String(fields[0])) }
        }
        return states
    }
}
