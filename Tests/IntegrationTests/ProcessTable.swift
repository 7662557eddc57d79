import Foundation
import Testing

/// The number of sleeps of each thread of a process, which is the number of its wake-ups.
enum ThreadSleeps {
    /// The count of each thread so far, by its id and name.
    static func counts(of process: Int32) throws -> [String: String] {
        let tasks = "/proc/\(process)/task"
        var counts: [String: String] = [:]
        for task in try FileManager.default.contentsOfDirectory(atPath: tasks) {
            let status = try String(contentsOfFile: "\(tasks)/\(task)/status", encoding: .utf8)
            let lines = status.split(separator: "\n")
            let name = try #require(lines.first { $0.hasPrefix("Name:") }).dropFirst(6)
            let count = try #require(lines.first { $0.hasPrefix("voluntary_ctxt_switches:") }).split(separator: "\t")
                .last
            counts["\(task) \(name)"] = String(try #require(count))
        }
        return counts
    }
}

/// The open descriptors and the children of a process.
enum ProcessTable {
    /// The descriptors that a process has open, by what they lead to; pipes, sockets and the like without their numbers.
    static func descriptors(of process: Int32) throws -> [String: Int] {
        let directory = "/proc/\(process)/fd"
        var counts: [String: Int] = [:]
        for descriptor in try FileManager.default.contentsOfDirectory(atPath: directory) {
            // One that was closed meanwhile is none.
            guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(directory)/\(descriptor)")
            else { continue }
            counts[String(target.prefix { $0 != "[" }), default: 0] += 1
        }
        return counts
    }

    /// The numbers of a process's children.
    static func numbers(ofChildrenOf process: Int32) throws -> [Int32] {
        let names = try FileManager.default.contentsOfDirectory(atPath: "/proc")
        return names.compactMap { Int32($0) }.filter { fields(of: $0)?.parent == process }
    }

    private static func fields(of process: Int32) -> (state: String, parent: Int32)? {
        guard let line = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
            let end = line.lastIndex(of: ")")
        else { return nil }
        let fields = line[line.index(after: end)...].split(separator: " ")
        guard fields.count > 1, let parent = Int32(fields[1]) else { return nil }
        return (String(fields[0]), parent)
    }

    /// The states of a process's children: `Z` for a zombie, which has ended and was not reaped.
    static func children(of process: Int32) throws -> [String] {
        try numbers(ofChildrenOf: process).compactMap { fields(of: $0)?.state }
    }
}
