internal import BenchmarkKit
internal import FoundationEssentials

/// A folder that only this user can look into, and that is removed with the value that stands for it.
final class TemporaryFolder {
    let path: String

    init() throws(BenchmarkError) {
        let folder = FileManager.default.temporaryDirectory.appending(path: "probe-bench-\(UUID().uuidString)")
        path = folder.path
        do {
            try FileManager.default.createDirectory(
                at: folder,
                withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw BenchmarkError("make the folder \(path)", cause: "\(error)")
        }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The path of a file inside.
    func path(of name: String) -> String { "\(path)/\(name)" }

    /// Writes a file.
    ///
    /// - Returns: its path.
    @discardableResult
    func write(_ text: String, to name: String) throws(BenchmarkError) -> String {
        let path = path(of: name)
        do {
            try Data(text.utf8).write(to: URL(filePath: path))
        } catch {
            throw BenchmarkError("write \(path)", cause: "\(error)")
        }
        return path
    }
}
