internal import FoundationEssentials

/// A directory that only this user can look into, and that is removed with the value that stands for it.
package final class TemporaryDirectory {
    package let path: String

    /// Makes it.
    ///
    /// - Parameters:
    ///   - name: What its name begins with: the benchmark's.
    ///   - directory: Where; in the temporary directory unless given.
    package init(_ name: String, in directory: String? = nil) throws(BenchmarkError) {
        let parent = directory.map { URL(filePath: $0) } ?? FileManager.default.temporaryDirectory
        let directory = parent.appending(path: "\(name)-\(UUID().uuidString)")
        path = directory.path
        do {
            try FileManager.default.createDirectory(
                at: directory,
                withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw BenchmarkError("make the directory \(path)", cause: "\(error)")
        }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The path of a file inside.
    package func path(of name: String) -> String { "\(path)/\(name)" }

    /// Writes a file.
    ///
    /// - Returns: its path.
    @discardableResult
    package func write(_ text: String, to name: String) throws(BenchmarkError) -> String {
        let path = path(of: name)
        do {
            try Data(text.utf8).write(to: URL(filePath: path))
        } catch {
            throw BenchmarkError("write \(path)", cause: "\(error)")
        }
        return path
    }
}
