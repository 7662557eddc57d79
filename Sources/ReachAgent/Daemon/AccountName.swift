internal import Glibc

/// The names of users and groups on this machine.
enum AccountName {
    /// The most bytes that one entry of the databases may take.
    private static let maximumBytes = 64 << 10

    /// A user's name; `nil` when the number has none.
    static func user(_ number: UInt32) -> String? {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: maximumBytes)
        guard getpwuid_r(number, &entry, &buffer, buffer.count, &found) == 0, let name = found?.pointee.pw_name else {
            return nil
        }
        return String(cString: name)
    }

    /// A group's name; `nil` when the number has none.
    static func group(_ number: UInt32) -> String? {
        var entry = Glibc.group()
        var found: UnsafeMutablePointer<Glibc.group>?
        var buffer = [CChar](repeating: 0, count: maximumBytes)
        guard getgrgid_r(number, &entry, &buffer, buffer.count, &found) == 0, let name = found?.pointee.gr_name else {
            return nil
        }
        return String(cString: name)
    }
}
