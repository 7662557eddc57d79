internal import Glibc

/// Looks up users and groups (getpwnam(3), getgrnam(3)).
enum Account {
    /// What the record of one account may take; larger ones count as known.
    private static let recordBytes = 64 << 10

    /// Whether it is certain that there is no user of the name; a number needs none.
    static func isUnknown(user name: String) -> Bool {
        guard UInt32(name) == nil else { return false }
        var (record, result) = (passwd(), UnsafeMutablePointer<passwd>?.none)
        var buffer = [CChar](repeating: 0, count: recordBytes)
        return isUnknown(code: getpwnam_r(name, &record, &buffer, buffer.count, &result), isFound: result != nil)
    }

    /// Whether it is certain that there is no group of the name.
    static func isUnknown(group name: String) -> Bool {
        guard UInt32(name) == nil else { return false }
        var (record, result) = (Glibc.group(), UnsafeMutablePointer<Glibc.group>?.none)
        var buffer = [CChar](repeating: 0, count: recordBytes)
        return isUnknown(code: getgrnam_r(name, &record, &buffer, buffer.count, &result), isFound: result != nil)
    }

    /// Some systems say that there is none by a code (getpwnam(3), ERRORS).
    private static func isUnknown(code: Int32, isFound: Bool) -> Bool {
        !isFound && [0, ENOENT, ESRCH].contains(code)
    }
}
