import Glibc

/// The processes that a program has started, those included that have left its process group (setsid(2)).
///
/// Found by their parents. One whose parent had ended before it was found is another process's child, and is not among
/// them.
struct HookDescendants: Sendable {
    /// By number, the moment at which each began: a number that is given away again is another process's.
    private var members: [pid_t: UInt64]

    /// Nobody.
    init() { members = [:] }

    /// The descendants that there are now.
    init(of leader: pid_t) {
        members = [:]
        add(below: [leader])
    }

    /// Finds what the program and its descendants have started meanwhile.
    mutating func refresh(_ leader: pid_t) { add(below: Set(living).union([leader])) }

    /// Those that have not ended.
    var living: [pid_t] {
        members.compactMap { number, began in
            guard let entry = Self.entry(number), entry.began == began, !entry.isDead else { return nil }
            return number
        }
    }

    /// Signals those that have not ended, and are not in a group that is signalled by itself.
    func signal(_ signal: Int32, exceptGroup group: pid_t) {
        for number in living where getpgid(number) != group { kill(number, signal) }
    }

    private mutating func add(below parents: Set<pid_t>) {
        var known = parents
        let all = Self.entries()
        // Each round finds one more generation; there are no more of them than processes.
        for _ in 0..<all.count {
            let children = all.filter { known.contains($0.value.parent) && !known.contains($0.key) && !$0.value.isDead }
            guard !children.isEmpty else { return }
            for (number, entry) in children { members[number] = entry.began }
            known.formUnion(children.keys)
        }
    }

    private struct Entry {
        let parent: pid_t
        let began: UInt64
        let isDead: Bool
    }

    private static func entries() -> [pid_t: Entry] {
        guard let folder = opendir("/proc") else { return [:] }
        defer { closedir(folder) }
        var entries: [pid_t: Entry] = [:]
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { $0.prefix { $0 != 0 }.map { $0 } }
            guard let number = pid_t(String(decoding: name, as: UTF8.self)) else { continue }
            entries[number] = Self.entry(number)
        }
        return entries
    }

    /// proc_pid_stat(5): behind the name in parentheses stand the state, the parent, and 18 fields on the time of the start.
    private static func entry(_ number: pid_t) -> Entry? {
        let descriptor = open("/proc/\(number)/stat", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 1024)
        let count = read(descriptor, &bytes, bytes.count)
        guard count > 0, let end = bytes[..<count].lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = bytes[(end + 1)..<count].split(separator: UInt8(ascii: " "))
        guard fields.count > 19, let parent = pid_t(String(decoding: fields[1], as: UTF8.self)),
            let began = UInt64(String(decoding: fields[19], as: UTF8.self))
        else { return nil }
        return Entry(
            parent: parent,
            began: began,
            isDead: fields[0] == [UInt8(ascii: "Z")] || fields[0] == [UInt8(ascii: "X")]
        )
    }
}
