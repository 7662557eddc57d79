internal import Glibc

/// Reads symbolic links.
enum SymbolicLink {
    /// Returns the target of a link (readlink(2)); nil with errno when it cannot be read or is too long.
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
