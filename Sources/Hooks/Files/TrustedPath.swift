internal import Glibc

/// Follows paths as the kernel does, and checks that only root and the agent's user can replace anything on them.
///
/// Each directory must belong to one of these two, and be writable by no other user unless it is sticky: an entry of a
/// sticky directory can be replaced only by its owner, who is checked next. The same applies to the owner of each link.
struct TrustedPath {
    private static let maximumLinks = 40

    private let agent: UInt32
    private var checked: Set<[UInt8]> = []

    init(agent: UInt32) {
        self.agent = agent
    }

    /// Follows an absolute path, and checks all directories on it, including one at its end.
    ///
    /// - Returns: The entry at its end.
    mutating func follow(_ path: String) throws(HookRefusal) -> stat {
        var last = try check("/")
        var here = ""
        // The remaining components, the next one last.
        var pending = Self.components(of: path)
        var links = 0
        while let name = pending.popLast() {
            if name == "." { continue }
            if name == ".." {
                here = String(here[..<(here.utf8.lastIndex(of: UInt8(ascii: "/")) ?? here.startIndex)])
                last = try check(here.isEmpty ? "/" : here)
                continue
            }
            let next = "\(here)/\(name)"
            last = try check(next)
            switch last.st_mode & S_IFMT {
            case S_IFLNK:
                links += 1
                guard links <= Self.maximumLinks else { throw .notFound(path, ELOOP) }
                let target = try Self.target(of: next)
                if target.utf8.first == UInt8(ascii: "/") {
                    here = ""
                    last = try check("/")
                }
                pending += Self.components(of: target)
            case S_IFDIR:
                here = next
            default:
                guard pending.isEmpty else { throw .notFound(path, ENOTDIR) }
            }
        }
        return last
    }

    /// Checks the owner and the write permissions of an entry itself.
    static func checkAccess(to path: String, _ entry: stat, agent: UInt32) throws(HookRefusal) {
        guard entry.st_uid == 0 || entry.st_uid == agent else {
            throw .owner(.owner, path, owner: entry.st_uid, agent: agent)
        }
        guard entry.st_mode & (S_IWGRP | S_IWOTH) == 0 else { throw .writable(.writable, path, entry.st_mode) }
    }

    /// Returns the components of a path, the first one last.
    ///
    /// By bytes, as for the kernel: for a `String`, a slash and a combining mark after it are one character.
    private static func components(of path: String) -> [Substring] {
        path.utf8.split(separator: UInt8(ascii: "/")).reversed().map { Substring($0) }
    }

    private mutating func check(_ path: String) throws(HookRefusal) -> stat {
        var entry = stat()
        guard lstat(path, &entry) == 0 else { throw .notFound(path, errno) }
        let kind = entry.st_mode & S_IFMT
        guard kind == S_IFDIR || kind == S_IFLNK, checked.insert(Array(path.utf8)).inserted else { return entry }
        guard entry.st_uid == 0 || entry.st_uid == agent else {
            throw .owner(
                kind == S_IFDIR ? .directory : .owner,
                path,
                owner: entry.st_uid,
                agent: agent,
                isLink: kind == S_IFLNK
            )
        }
        if kind == S_IFDIR, entry.st_mode & (S_IWGRP | S_IWOTH) != 0, entry.st_mode & S_ISVTX == 0 {
            throw .writable(.directory, path, entry.st_mode)
        }
        return entry
    }

    private static func target(of link: String) throws(HookRefusal) -> String {
        guard let bytes = SymbolicLink.target(of: link) else { throw .notFound(link, errno) }
        guard let target = String(validating: bytes, as: UTF8.self) else {
            throw .badPath(link, "is a link to a path that is not UTF-8")
        }
        return target
    }
}

/// The rule for hooks, for other files that decide what the agent runs.
package enum TrustedFile {
    /// Returns the reason that another user than root and the agent's can change a file or a directory, replace it, or put
    /// something into it.
    ///
    /// - Parameters:
    ///   - path: The absolute path.
    ///   - agent: The agent's effective user.
    /// - Returns: `nil` if none can, if there is no such file, or if it cannot be examined.
    package static func refusal(of path: String, agent: UInt32) -> HookRefusal? {
        var walk = TrustedPath(agent: agent)
        do throws(HookRefusal) {
            // A sticky directory is safe on the way to a file, and not as the directory of files that are read.
            try TrustedPath.checkAccess(to: path, walk.follow(path), agent: agent)
            return nil
        } catch {
            return [.owner, .writable, .directory].contains(error.code) ? error : nil
        }
    }
}

/// Reads symbolic links.
enum SymbolicLink {
    /// Returns the target of a link (readlink(2)); nil with `errno` set if it cannot be read or is too long.
    static func target(of path: String) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = bytes.withUnsafeMutableBytes { space in
            space.withMemoryRebound(to: CChar.self) { text in
                text.baseAddress.map { readlink(path, $0, text.count) } ?? -1
            }
        }
        guard count >= 0 else { return nil }
        guard count < bytes.count else {
            errno = ENAMETOOLONG
            return nil
        }
        return Array(bytes.prefix(count))
    }
}
