internal import Glibc

/// A group by name or number.
enum SocketGroup {
    /// Returns the group's number.
    static func number(of group: String, for path: String) throws(StateSocketError) -> gid_t {
        if let number = gid_t(group), number != .max { return number }
        var entry = Glibc.group()
        // Groups with many members need a large buffer: it grows until the entry fits.
        var size = 4096
        while size <= 4 << 20 {
            var room = [CChar](repeating: 0, count: size)
            var found: UnsafeMutablePointer<Glibc.group>?
            let number = getgrnam_r(group, &entry, &room, room.count, &found)
            if number == 0, let found { return found.pointee.gr_gid }
            guard number == ERANGE else { break }
            size *= 4
        }
        throw StateSocketError(operation: "set the group of", path: path, cause: .unknownGroup(group))
    }
}
