import AgentTestKit
import Foundation

@testable import Configuration

/// The files beside the tests, and directories for those that tests make themselves.
enum Fixtures {
    static let directory = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures").path()
    static let examples = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "examples/config").path()

    /// The names in a directory, sorted.
    static func files(in directory: String) -> [String] { (try? RegularFile.listing(of: directory)) ?? [] }

    /// The names of the files that begin so, without `.toml`.
    static func names(_ prefix: String) -> [String] {
        files(in: directory).filter { $0.hasPrefix(prefix) && $0.hasSuffix(".toml") }
            .map { String($0.dropLast(".toml".count)) }
    }

    static func text(_ name: String) throws -> String {
        try String(contentsOfFile: "\(directory)/\(name)", encoding: .utf8)
    }

    /// Loads a configuration of one file with this text.
    static func load(_ text: String) throws -> ConfigurationFile.Loaded {
        try inDirectory { directory in
            try text.write(toFile: "\(directory)/a.toml", atomically: false, encoding: .utf8)
            return try ConfigurationFile.load("\(directory)/a.toml", listsEffective: true)
        }
    }

    /// Returns the errors of a configuration of one file with this text, each message without the file's directory.
    static func errors(_ text: String) throws -> [String] {
        try inDirectory { directory in
            try text.write(toFile: "\(directory)/a.toml", atomically: false, encoding: .utf8)
            return errors(at: "\(directory)/a.toml", in: directory)
        }
    }

    /// Returns the errors of a file, each message without the directory.
    static func errors(at path: String, in directory: String) -> [String] {
        do throws(ConfigurationErrors) {
            _ = try ConfigurationFile.load(path)
            return []
        } catch {
            return error.errors.map { $0.description.replacingOccurrences(of: "\(directory)/", with: "") }
        }
    }

    /// Runs `body` with a new directory, which is removed afterwards.
    static func inDirectory<Result>(_ body: (String) throws -> Result) throws -> Result {
        let directory = try TemporaryDirectory()
        return try withExtendedLifetime(directory) { try body(directory.path) }
    }
}
