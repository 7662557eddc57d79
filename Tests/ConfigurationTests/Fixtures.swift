import Foundation

@testable import Configuration

/// The files beside the tests, and folders for those that tests make themselves.
enum Fixtures {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures").path()
    static let examples = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "examples/config").path()

    /// The names in a folder, sorted.
    static func files(in folder: String) -> [String] { (try? RegularFile.listing(of: folder)) ?? [] }

    /// The names of the files that begin so, without `.toml`.
    static func names(_ prefix: String) -> [String] {
        files(in: folder).filter { $0.hasPrefix(prefix) && $0.hasSuffix(".toml") }
            .map { String($0.dropLast(".toml".count)) }
    }

    static func text(_ name: String) throws -> String {
        try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
    }

    /// Loads a configuration of one file with this text.
    static func load(_ text: String) throws -> ConfigurationFile.Loaded {
        try inFolder { folder in
            try text.write(toFile: "\(folder)/a.toml", atomically: false, encoding: .utf8)
            return try ConfigurationFile.load("\(folder)/a.toml", listsEffective: true)
        }
    }

    /// Returns the errors of a configuration of one file with this text, each message without the file's folder.
    static func errors(_ text: String) throws -> [String] {
        try inFolder { folder in
            try text.write(toFile: "\(folder)/a.toml", atomically: false, encoding: .utf8)
            return errors(at: "\(folder)/a.toml", in: folder)
        }
    }

    /// Returns the errors of a file, each message without the folder.
    static func errors(at path: String, in folder: String) -> [String] {
        do throws(ConfigurationErrors) {
            _ = try ConfigurationFile.load(path)
            return []
        } catch {
            return error.errors.map { $0.description.replacingOccurrences(of: "\(folder)/", with: "") }
        }
    }

    /// Runs `body` with a new folder, which is removed afterwards.
    static func inFolder<Result>(_ body: (String) throws -> Result) throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(path: "configuration-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try body(folder.path())
    }
}
