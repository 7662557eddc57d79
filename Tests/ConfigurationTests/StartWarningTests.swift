import Foundation
import Testing

@testable import Configuration

/// Warnings about what the next start would need and not find.
@Suite struct StartWarningTests {
    /// Returns the warnings of keys in `[agent]`; `DIR` stands for an existing directory with a file `file`.
    private static func warnings(_ keys: String, checksMachine: Bool = true) throws -> [String] {
        try Fixtures.inDirectory { directory in
            try "x".write(toFile: "\(directory)/file", atomically: false, encoding: .utf8)
            let path = "\(directory)/a.toml"
            let text = "[agent]\n\(keys.replacing("DIR", with: directory))\n"
            try text.write(toFile: path, atomically: false, encoding: .utf8)
            let loaded = try ConfigurationFile.load(path, checksMachine: checksMachine)
            return loaded.warnings.map {
                "\($0.key ?? ""): \($0.message)".replacingOccurrences(of: directory, with: "DIR")
            }
        }
    }

    @Test(arguments: [
        ("socket_group = 'none-such'", "socket_group: there is no group 'none-such' here: the agent would not start"),
        ("socket_group = '4294967295'", "socket_group: there is no group '4294967295' here: the agent would not start"),
        (
            "socket_directory = 'DIR/file/a'",
            "socket_directory: 'DIR/file' is not a directory: the agent would not start"
        ),
        (
            "journal_directory = 'DIR/file'",
            "journal_directory: 'DIR/file' is not a directory: the agent would not start"
        ),
        (
            "journal_directory = 'DIR/data/journal'",
            "journal_directory: there is no directory 'DIR/data', and the agent does not create it: it would not start"
        ),
        ("metrics_file = 'DIR/out/a'", "metrics_file: there is no directory 'DIR/out': no metrics would be written"),
        ("metrics_file = 'DIR/file/a'", "metrics_file: there is no directory 'DIR/file': no metrics would be written"),
    ])
    func `what the next start would not find is a warning where requested`(key: String, warning: String) throws {
        #expect(try Self.warnings(key) == ["agent.\(warning)"])
        #expect(try Self.warnings(key, checksMachine: false).isEmpty)
    }

    @Test func `a socket directory whose paths do not fit into an address is a warning`() throws {
        let name = String(repeating: "a", count: 94)
        let warning = "is too long, a socket's path has at most 107 bytes: the agent would not start"
        #expect(try Self.warnings("socket_directory = '/\(name)'") == ["agent.socket_directory: \(warning)"])
        #expect(try Self.warnings("socket_directory = '/\(name.dropLast())'").isEmpty)
    }

    @Test(arguments: [
        "socket_group = 'root'", "socket_group = '12345678'", "socket_directory = 'DIR/a/b'",
        "journal_directory = 'DIR/a'", "journal_directory = 'DIR/reachagent/journal'", "metrics_file = 'DIR/a.prom'",
        "sockets = false\nsocket_group = 'none-such'",
    ])
    func `what exists, or is created, or is not used is no warning`(keys: String) throws {
        #expect(try Self.warnings(keys).isEmpty)
    }

    @Test(arguments: [
        (
            "sockets = false\n[http]\nlisten = '127.0.0.1:9718'",
            ["http.listen: has no effect while 'sockets' of [agent] is false"]
        ),
        ("sockets = true\n[http]\nlisten = '127.0.0.1:9718'", []),
        ("sockets = false\n[http]\nlisten = []", []),
    ])
    func `an address is a warning while the sockets are off`(text: String, warnings: [String]) throws {
        #expect(try Self.warnings(text, checksMachine: false) == warnings)
    }
}
