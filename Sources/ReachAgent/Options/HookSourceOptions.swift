internal import ArgumentParser
internal import ConfigurationFile
internal import ForeignText
internal import FoundationEssentials
internal import Glibc

/// Where 'reachagent hooks' finds hooks: the same files and folders as an agent, without asking one.
struct HookSourceOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The configuration file (default: the one that 'reachagent run' reads).", valueName: "file"),
        completion: .file(extensions: ["toml"])
    )
    var config: String?

    @Flag(help: "Read no configuration file.")
    var noConfig = false

    @OptionGroup var place: HookFolderOptions

    func validate() throws {
        if noConfig, config != nil { throw ValidationError("'--config' and '--no-config' contradict each other") }
    }

    /// Reads the configuration and the folders.
    ///
    /// What is wrong with the configuration is said on standard error, and the status is 78.
    func survey() throws -> HookSurvey {
        var settings = Settings()
        let path = noConfig ? nil : config ?? Self.standardPath
        if let path {
            do throws(ConfigurationErrors) {
                settings = try ConfigurationFile.load(path, serializer: RequestOptions.serializer()).settings
            } catch {
                for line in error.errors { Terminal.printError(ForeignText.shown(line.description, limit: 4096)) }
                throw ExitCode(ExitStatus.badConfiguration)
            }
        }
        return HookSurvey(
            place.hooks(of: settings),
            configuration: path,
            isSwitchedOff: !settings.runsHooks,
            user: AccountName.user(geteuid()) ?? "UID \(geteuid())"
        )
    }

    private static var standardPath: String? {
        ConfigurationFile.standardPath(environment: ProcessInfo.processInfo.environment, isRoot: geteuid() == 0)
    }
}
