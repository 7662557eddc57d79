import AgentTestKit
import Foundation
import Testing

@testable import Configuration

/// Warnings about files that other users can change.
@Suite struct AccessWarningTests {
    /// A directory with a file, its drop-in, and a directory above them.
    private let temporary: TemporaryDirectory
    private var root: String { temporary.path + "/etc" }
    private var file: String { root + "/a.toml" }
    private static let names = ["etc", "etc/a.toml", "etc/a.toml.d", "etc/a.toml.d/x.toml"]

    init() throws {
        temporary = try TemporaryDirectory()
        for name in ["etc", "etc/a.toml.d"] {
            try #require(mkdir("\(temporary.path)/\(name)", 0o700) == 0)
        }
        for name in ["etc/a.toml", "etc/a.toml.d/x.toml"] {
            _ = try temporary.file(name, "[hook.x]\nurl = 'http://h/'\n")
        }
    }

    /// Returns the warnings, with `DIR` for the temporary directory.
    private func warnings(user: UInt32 = geteuid()) throws -> [String] {
        let loaded = try ConfigurationFile.load(file)
        return ConfigurationFile.accessWarnings(of: file, files: loaded.files, user: user).map {
            $0.description.replacingOccurrences(of: temporary.path, with: "DIR")
        }
    }

    @Test func `files of the agent's user that no other user can write to are no warning`() throws {
        for name in Self.names { try #require(chmod("\(temporary.path)/\(name)", 0o755) == 0) }
        #expect(try warnings().isEmpty)
        #expect(ConfigurationFile.accessWarnings(of: "/none/a.toml", files: [], user: 0).isEmpty)
    }

    @Test(arguments: [
        ("etc/a.toml", 0o666, "all users", "DIR/etc/a.toml: has"),
        ("etc/a.toml", 0o620, "its group", "DIR/etc/a.toml: has"),
        ("etc/a.toml.d/x.toml", 0o602, "all users", "DIR/etc/a.toml.d/x.toml: has"),
        ("etc/a.toml.d", 0o1777, "all users", "DIR/etc/a.toml.d: has"),
        ("etc/a.toml.d", 0o770, "its group", "DIR/etc/a.toml.d/x.toml: DIR/etc/a.toml.d has"),
        ("etc", 0o777, "all users", "DIR/etc/a.toml: DIR/etc has"),
    ])
    func `a file or a directory that others can write to is one warning`(
        name: String,
        mode: Int,
        users: String,
        start: String
    ) throws {
        try #require(chmod("\(temporary.path)/\(name)", mode_t(mode)) == 0)
        let warnings = try warnings()
        #expect(warnings.count == 1)
        let end = "\(users) can write to it; others can change what the agent does and runs: chmod go-w DIR/\(name)"
        #expect(warnings.allSatisfy { $0.hasPrefix("\(start) mode ") && $0.hasSuffix(end) }, "\(warnings)")
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give files away"), arguments: names.dropFirst())
    func `a file or a directory of another user is a warning, and of the agent's user it is none`(name: String) throws {
        try #require(chown("\(temporary.path)/\(name)", 5, 6) == 0)
        #expect(try warnings(user: 5).isEmpty)
        #expect(try warnings(user: 0).contains { $0.contains("belongs to UID 5, not to root") })
        #expect(try warnings(user: 7).contains { $0.contains("belongs to UID 5, neither to root nor to") })
    }

    @Test func `a relative path is one below the working directory`() throws {
        let path = String(repeating: "../", count: 64) + String(file.dropFirst())
        try #require(chmod(file, 0o666) == 0)
        let warnings = ConfigurationFile.accessWarnings(of: path, files: [path], user: geteuid())
        #expect(warnings.count == 1)
    }
}
