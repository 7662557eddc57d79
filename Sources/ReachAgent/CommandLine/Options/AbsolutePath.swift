internal import FoundationEssentials

/// Paths that mean the same in every working directory.
enum AbsolutePath {
    /// A path from the root on; a relative one begins at the working directory.
    static func of(_ path: String) -> String {
        if path.hasPrefix("/") { return path }
        let current = FileManager.default.currentDirectoryPath
        let parts = path.split(separator: "/").drop { $0 == "." }
        return parts.reduce(current == "/" ? "" : current) { "\($0)/\($1)" }
    }
}
