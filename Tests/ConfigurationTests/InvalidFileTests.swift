import Configuration
import Foundation
import Testing

/// Every file `invalid-*.toml` is refused with exactly the messages beside it.
@Suite struct InvalidFileTests {
    @Test(arguments: Fixtures.names("invalid-"))
    func `an invalid file has exactly these errors`(name: String) throws {
        let expected = try Fixtures.text("\(name).expected").split(separator: "\n").map(String.init)
        #expect(!expected.isEmpty)
        #expect(Fixtures.errors(at: "\(Fixtures.directory)/\(name).toml", in: Fixtures.directory) == expected)
    }

    @Test(arguments: Fixtures.names("valid-"))
    func `a valid file is accepted`(name: String) throws {
        let loaded = try ConfigurationFile.load("\(Fixtures.directory)/\(name).toml")
        #expect(loaded.files.first == "\(Fixtures.directory)/\(name).toml")
    }

    @Test func `there are fixtures for all of the schema`() {
        #expect(Fixtures.names("invalid-").count >= 40)
        #expect(Fixtures.names("valid-").count >= 3)
    }

    @Test func `no message shows a secret`() throws {
        let texts = Fixtures.names("invalid-").map { name in
            Fixtures.errors(at: "\(Fixtures.directory)/\(name).toml", in: Fixtures.directory).joined()
        }
        #expect(!texts.joined().contains("secret@"))
        #expect(!texts.joined().contains("Bearer"))
    }
}

/// The text of configuration errors.
@Suite struct ConfigurationErrorTests {
    @Test(arguments: [
        (ConfigurationError(file: "a.toml", message: "cannot be read"), "a.toml: cannot be read"),
        (ConfigurationError(file: "a.toml", line: 3, message: "no value"), "a.toml:3: no value"),
        (ConfigurationError(file: "a.toml", line: 3, column: 9, message: "no value"), "a.toml:3:9: no value"),
        (
            ConfigurationError(
                file: "a.toml",
                line: 7,
                column: 1,
                key: "probe.web.interval",
                message: "'10x' is wrong"
            ),
            "a.toml:7:1: probe.web.interval: '10x' is wrong"
        ),
    ])
    func `an error names the file, the line, the column and the key`(error: ConfigurationError, text: String) {
        #expect(error.description == text)
    }
}
