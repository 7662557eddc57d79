import Glibc
import LinuxSupport

/// The processes that a program has started, including those that have left its process group (setsid(2)).
///
/// They are found by their parents. A process whose parent ended before it was found has another parent, and is not
/// included unless it is recognized as ``Adopted``.
struct HookDescendants: Sendable {
    /// The criteria for the orphaned processes that have become children of this process.
    struct Adopted: Sendable {
        /// The variable, with its value, in their environment.
        let mark: String
        /// The children of this process that are not orphans.
        let others: Set<pid_t>
    }
    /// The start time of each process by its ID, to distinguish it from a later process with the same ID.
    private var members: [pid_t: UInt64]

    /// Creates an empty set.
    init() { members = [:] }

    /// Finds the current descendants.
    init(of leader: pid_t, adopted: Adopted? = nil) {
        members = [:]
        add(below: [leader], adopted)
    }

    /// Adds the processes that the program and its descendants have started in the meantime.
    mutating func refresh(_ leader: pid_t, adopted: Adopted? = nil) {
        add(below: Set(living).union([leader]), adopted)
    }

    /// The processes that have not ended.
    var living: [pid_t] {
        members.compactMap { number, began in
            guard let entry = ProcessEntry(of: number), entry.began == began, !entry.isDead else { return nil }
            return number
        }
    }

    /// Signals the processes that have not ended, except those of a group that is signalled as a whole.
    func signal(_ signal: Int32, exceptGroup group: pid_t) {
        for number in living where getpgid(number) != group { kill(number, signal) }
    }

    private mutating func add(below parents: Set<pid_t>, _ adopted: Adopted?) {
        var parents = parents
        let all = Self.entries()
        if let adopted {
            let own = getpid()
            for (number, entry) in all
            where entry.parent == own && !entry.isDead && !parents.contains(number) && !adopted.others.contains(number)
                && Self.environment(of: number, has: adopted.mark)
            {
                members[number] = entry.began
                parents.insert(number)
            }
        }
        members.merge(Self.processes(below: parents, in: all)) { $1 }
    }

    /// Returns the start times of the living processes that others, or their descendants, have started, by their IDs.
    ///
    /// Each process is read once, however many generations there are: a script that calls itself is the deepest chain.
    static func processes(
        below parents: Set<pid_t>,
        in all: some Sequence<(key: pid_t, value: ProcessEntry)>
    ) -> [pid_t: UInt64] {
        var children: [pid_t: [(number: pid_t, began: UInt64)]] = [:]
        for (number, entry) in all where !entry.isDead && !parents.contains(number) {
            children[entry.parent, default: []].append((number, entry.began))
        }
        var found: [pid_t: UInt64] = [:]
        var unvisited = Array(parents)
        while let parent = unvisited.popLast() {
            for (number, began) in children[parent] ?? [] {
                found[number] = began
                unvisited.append(number)
            }
        }
        return found
    }

    private static func entries() -> [pid_t: ProcessEntry] {
        var entries: [pid_t: ProcessEntry] = [:]
        for name in DirectoryStream.readableNames(in: "/proc") {
            guard let number = pid_t(String(decoding: name, as: UTF8.self)) else { continue }
            entries[number] = ProcessEntry(of: number)
        }
        return entries
    }

    /// Returns whether a process was started with this variable and value; `false` if its environment cannot be read.
    private static func environment(of number: pid_t, has variable: String) -> Bool {
        let descriptor = open("/proc/\(number)/environ", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var text: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16 << 10)
        while text.count < maximumEnvironment {
            let count = read(descriptor, &chunk, chunk.count)
            guard count > 0 else { break }
            text += chunk[..<count]
        }
        return text.split(separator: 0).contains { $0.elementsEqual(variable.utf8) }
    }

    /// The maximum number of bytes of a process's environment that are read.
    private static let maximumEnvironment = 1 << 20
}
