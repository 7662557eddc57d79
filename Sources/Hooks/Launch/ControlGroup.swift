import CSpawn
import Glibc

/// A control group (cgroups(7), version 2), by its folder.
struct ControlGroup: Sendable, Hashable {
    let path: String

    /// Makes the folder; one that is there already will do.
    ///
    /// - Returns: 0, or the system's number.
    func make() -> Int32 { mkdir(path, 0o755) == 0 || errno == EEXIST ? 0 : errno }

    /// Removes the folder; `false` while a process is in the group.
    func remove() -> Bool { rmdir(path) == 0 || errno == ENOENT }

    /// The group of a name in this one.
    func child(_ name: String) -> ControlGroup { ControlGroup(path: "\(path)/\(name)") }

    /// Writes one of the group's files.
    ///
    /// - Returns: 0, or the system's number.
    func set(_ file: String, _ value: String) -> Int32 {
        let descriptor = open("\(path)/\(file)", O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        return write(descriptor, value, value.utf8.count) == value.utf8.count ? 0 : errno
    }

    /// Returns true when the group has a file.
    func has(_ file: String) -> Bool { access("\(path)/\(file)", F_OK) == 0 }

    /// `true` if the service manager has given the group to the processes in it (systemd's `Delegate=`).
    var isDelegated: Bool {
        reachagent_is_marked(path, "user.delegate") || reachagent_is_marked(path, "trusted.delegate")
    }

    /// `true` if a process in the group has not ended, or when that cannot be found out.
    var isPopulated: Bool {
        guard let text = text("cgroup.events") else { return has("cgroup.procs") }
        return text.split(separator: "\n").contains("populated 1")
    }

    /// Signals each process in the group; those that begin meanwhile may be missed.
    func signal(_ signal: Int32) {
        for line in (text("cgroup.procs") ?? "").split(separator: "\n") {
            if let number = pid_t(line), number > 0 { Glibc.kill(number, signal) }
        }
    }

    /// Ends each process in the group, and those that they are starting.
    ///
    /// - Returns: Whether the kernel does.
    func kill() -> Bool { set("cgroup.kill", "1") == 0 }

    private func text(_ file: String) -> String? {
        let descriptor = open("\(path)/\(file)", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var text: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(descriptor, &chunk, chunk.count)
            guard count > 0 else { return count == 0 ? String(decoding: text, as: UTF8.self) : nil }
            text += chunk[..<count]
        }
    }
}

extension ControlGroup {
    /// The group that this process is in; nil where there is no version 2.
    static var own: ControlGroup? {
        let mounts = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"]
        // Version 1 has no such file.
        guard let mount = mounts.first(where: { ControlGroup(path: $0).has("cgroup.controllers") }) else { return nil }
        let text = ControlGroup(path: "/proc/self").text("cgroup") ?? ""
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("0::/") }) else { return nil }
        let path = line.dropFirst(3)
        return ControlGroup(path: path == "/" ? mount : mount + path)
    }

    /// The group that this one is in.
    var parent: ControlGroup? {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return nil }
        return ControlGroup(path: String(path[..<slash]))
    }

    /// The last part of the path.
    var name: Substring { path[(path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex)...] }
}
