import Configuration
import Testing

/// How an error of a configuration file reads.
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
