import ConfigurationFile
import Testing

/// How an error of a configuration file reads.
@Suite struct ConfigurationErrorTests {
    @Test(arguments: [
        (ConfigurationError(file: "a.toml", message: "cannot be read"), "a.toml: cannot be read"),
        (ConfigurationError(file: "a.toml", line: 3, message: "no value"), "a.toml:3: no value"),
        (
            ConfigurationError(file: "a.toml", line: 7, key: "probe.web.interval", message: "'10x' is no duration"),
            "a.toml:7: probe.web.interval: '10x' is no duration"
        ),
    ])
    func `an error names the file, the line and the key`(error: ConfigurationError, text: String) {
        #expect(error.description == text)
    }
}
