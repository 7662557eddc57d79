import Foundation

/// A folder with a file that holds a secret; gone with the value.
final class SecretFileBench: Sendable {
    let path: String
    private let folder: String

    init(_ content: String, mode: mode_t = 0o600) throws {
        folder = NSTemporaryDirectory() + "webhook-\(UUID().uuidString)"
        path = folder + "/secret"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data(content.utf8).write(to: URL(fileURLWithPath: path))
        guard chmod(path, mode) == 0 else { throw CocoaError(.fileWriteUnknown) }
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// Another path beside the file.
    func sibling(_ name: String) -> String { folder + "/" + name }
}
