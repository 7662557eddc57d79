internal import Glibc

/// The system's users and groups; buffers grow up to a bound, whatever the size of an entry.
///
/// The databases may be on the network (nsswitch.conf(5)), so a lookup can block, and can fail although the entry exists.
package enum AccountDatabase {
    /// A user entry.
    package struct User: Sendable, Hashable {
        package var uid: UInt32
        package var gid: UInt32
        package var name: String
        package var home: String
        package var shell: String
    }

    private static let largestEntry = 4 << 20
    private static let maximumGroups = 1 << 16

    /// Returns the user with a name (getpwnam_r(3)); `nil` if there is none.
    ///
    /// - Throws: The error of a lookup that found out neither.
    package static func user(named name: String) throws(SystemError) -> User? {
        guard isSearchable(name) else { return nil }
        return try user { getpwnam_r(name, $0, $1, $2, $3) }
    }

    /// Returns the user with a number (getpwuid_r(3)); `nil` if there is none.
    ///
    /// - Throws: The error of a lookup that found out neither.
    package static func user(number: UInt32) throws(SystemError) -> User? {
        try user { getpwuid_r(number, $0, $1, $2, $3) }
    }

    /// Returns the number of the group with a name (getgrnam_r(3)); `nil` if there is none.
    ///
    /// - Throws: The error of a lookup that found out neither.
    package static func group(named name: String) throws(SystemError) -> UInt32? {
        guard isSearchable(name) else { return nil }
        return try withGrowingBuffer { buffer, size in
            var entry = Glibc.group()
            var found: UnsafeMutablePointer<Glibc.group>?
            let error = getgrnam_r(name, &entry, buffer, size, &found)
            return (error, found.map { $0.pointee.gr_gid })
        }
    }

    /// Returns the name of the user with a number; `nil` if it has none, or the lookup failed.
    package static func userName(number: UInt32) -> String? { (try? user(number: number))?.name }

    /// Returns the name of the group with a number (getgrgid_r(3)); `nil` if it has none, or the lookup failed.
    package static func groupName(number: UInt32) -> String? {
        try? withGrowingBuffer { buffer, size in
            var entry = Glibc.group()
            var found: UnsafeMutablePointer<Glibc.group>?
            let error = getgrgid_r(number, &entry, buffer, size, &found)
            return (error, found.flatMap { $0.pointee.gr_name }.map { String(cString: $0) })
        }
    }

    /// Returns the groups of a user, including the given one (getgrouplist(3)).
    package static func groups(of name: String, with group: UInt32) -> [UInt32] {
        var count: Int32 = 64
        while count <= maximumGroups {
            var groups = [gid_t](repeating: 0, count: Int(count))
            var found = count
            if getgrouplist(name, group, &groups, &found) >= 0 { return Array(groups.prefix(max(0, Int(found)))) }
            count = max(found, count) * 2
        }
        return [group]
    }

    /// Returns whether a name can be looked up: the C library would truncate one with a zero byte.
    private static func isSearchable(_ name: String) -> Bool { !name.isEmpty && !name.utf8.contains(0) }

    private typealias Search = (
        UnsafeMutablePointer<passwd>, UnsafeMutablePointer<CChar>, Int,
        UnsafeMutablePointer<UnsafeMutablePointer<passwd>?>
    ) -> Int32

    private static func user(_ search: Search) throws(SystemError) -> User? {
        try withGrowingBuffer { buffer, size in
            var entry = passwd()
            var found: UnsafeMutablePointer<passwd>?
            let error = search(&entry, buffer, size, &found)
            // The strings are in the buffer, so they are copied before it is freed.
            return (error, found.map { User($0.pointee) })
        }
    }

    /// Repeats a search with larger buffers while its entry does not fit.
    static func withGrowingBuffer<Entry>(
        _ search: (UnsafeMutablePointer<CChar>, Int) -> (error: Int32, entry: Entry?)
    ) throws(SystemError) -> Entry? {
        var size = 4096
        while size <= largestEntry {
            let buffer = UnsafeMutablePointer<CChar>.allocate(capacity: size)
            defer { buffer.deallocate() }
            let (error, entry) = search(buffer, size)
            switch error {
            case ERANGE: size *= 4
            case EINTR: continue
            case 0: return entry
            // Some sources report that there is no such entry by an error number (getpwnam(3), ERRORS).
            case ENOENT, ESRCH, EBADF, EPERM: return nil
            default: throw SystemError(errno: error)
            }
        }
        throw SystemError(errno: ERANGE)
    }
}

extension AccountDatabase.User {
    fileprivate init(_ entry: passwd) {
        func text(_ field: UnsafeMutablePointer<CChar>?) -> String { field.map { String(cString: $0) } ?? "" }
        self.init(
            uid: entry.pw_uid,
            gid: entry.pw_gid,
            name: text(entry.pw_name),
            home: text(entry.pw_dir),
            shell: text(entry.pw_shell)
        )
    }
}
