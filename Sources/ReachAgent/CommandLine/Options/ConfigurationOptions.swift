internal import ArgumentParser
internal import Configuration
internal import FoundationEssentials
internal import Glibc
internal import Probes

/// The files of settings, and probes that need no file.
struct ConfigurationOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Read this file, and FILE.d/*.toml beside it; options of the command line win (default: that of \
            $CONFIGURATION_DIRECTORY; for root /etc/reachagent/reachagent.toml, else the one below /usr/lib; for others \
            $XDG_CONFIG_HOME/reachagent/reachagent.toml).
            """,
            valueName: "file"
        ),
        completion: .file(extensions: ["toml"])
    )
    var config: String?

    @Flag(help: "Read no configuration file.")
    var noConfig = false

    // Parsed here: a transform's error message would repeat the argument, which may contain a password.
    @Option(
        name: .customLong("probe"),
        help: ArgumentHelp(
            "Also check this target every 60 seconds (repeatable): https:, http:, tcp:, icmp: or dns:.",
            valueName: "url"
        ),
        completion: .list(["https://", "http://", "tcp://", "icmp://", "dns://"])
    )
    var probes: [String] = []

    func validate() throws {
        if noConfig, config != nil { throw ValidationError("'--config' and '--no-config' contradict each other") }
    }

    /// The file to read; `nil` for none.
    var path: String? {
        guard !noConfig else { return nil }
        return config
            ?? ConfigurationFile.standardPath(
                environment: ProcessInfo.processInfo.environment,
                isRoot: geteuid() == 0
            )
    }

    /// The files to look for; empty if one is named or none is to be read.
    var searched: [String] {
        guard !noConfig, config == nil else { return [] }
        return ConfigurationFile.standardPaths(
            environment: ProcessInfo.processInfo.environment,
            isRoot: geteuid() == 0
        )
    }

    /// The probes of the command line, each with an unused name that is derived from its host.
    func definitions(besides taken: Set<String>) throws(ConfigurationErrors) -> [ProbeDefinition] {
        var names = taken
        var definitions: [ProbeDefinition] = []
        for url in probes {
            let base = Self.name(of: url)
            var name = base
            var number = 2
            while !names.insert(name).inserted {
                name = "\(base)-\(number)"
                number += 1
            }
            do throws(ConfigurationErrors) {
                definitions.append(
                    try ProbeDefinition.adHoc(url, name: name, serializer: RequestOptions.serializer())
                )
            } catch {
                throw ConfigurationErrors(error.errors.map(Self.withoutKey))
            }
        }
        return definitions
    }

    /// A user who gives a URL on the command line does not know the key that it would be in a file.
    private static func withoutKey(_ error: ConfigurationError) -> ConfigurationError {
        ConfigurationError(file: error.file, line: error.line, message: error.message)
    }

    /// The target's host, in the characters that a name may have.
    private static func name(of url: String) -> String {
        guard let target = try? ProbeTarget(parsing: url) else { return "probe" }
        let host: String =
            switch target {
            case .http(let url): url.host.withoutTrailingDot.description
            case .tcp(let host, _), .icmp(let host): host.withoutTrailingDot.description
            case .dns(_, _, let name, _): name
            }
        let letters = host.unicodeScalars.map { scalar -> Character in
            scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || scalar == ".")
                ? Character(scalar) : "-"
        }
        let name = String(letters.prefix(48))
        return name.isEmpty || ProbeDefinition.reservedNames.contains(name) ? "probe" : name
    }
}
