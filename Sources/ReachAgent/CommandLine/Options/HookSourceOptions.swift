internal import ArgumentParser
internal import Configuration
internal import ForeignText
internal import Glibc

/// The files and folders that `reachagent hooks` is about: those of the running agent, unless others are named.
struct HookSourceOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The configuration file (default: that of the running agent, else the one that 'reachagent run' reads).",
            valueName: "file"
        ),
        completion: .file(extensions: ["toml"])
    )
    var config: String?

    @Flag(help: "Read no configuration file, and ask no agent.")
    var noConfig = false

    @OptionGroup var place: HookFolderOptions

    @OptionGroup var agent: SocketOptions

    func validate() throws {
        if noConfig, config != nil { throw ValidationError("'--config' and '--no-config' contradict each other") }
    }

    /// Reads the configuration and the folders.
    ///
    /// What is wrong with the configuration is said on standard error, and the status is 78.
    func survey() throws -> HookSurvey {
        var settings = Settings()
        let choice = noConfig ? ConfigurationChoice() : try ConfigurationChoice.find(file: config, socket: agent.socket)
        if let path = choice.path {
            do throws(ConfigurationErrors) {
                settings = try ConfigurationFile.load(path, serializer: RequestOptions.serializer()).settings
            } catch {
                for line in error.errors { Terminal.printError(ForeignText.shown(line.description, limit: 4096)) }
                throw ExitCode(ExitStatus.badConfiguration)
            }
        }
        return HookSurvey(
            place.hooks(of: settings, agent: choice.agent),
            choice: choice,
            isSwitchedOff: !settings.runsHooks,
            user: AccountName.user(geteuid()) ?? "UID \(geteuid())"
        )
    }
}
