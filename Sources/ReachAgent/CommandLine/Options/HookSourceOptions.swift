internal import ArgumentParser
internal import Configuration
internal import Glibc

/// The files and folders that `reachagent hooks` is about: those of the running agent, unless others are named.
struct HookSourceOptions: ParsableArguments {
    @OptionGroup var source: AgentFileOptions

    @OptionGroup var place: HookFolderOptions

    @Option(
        help: ArgumentHelp(
            "The journal's directory, for '--event last' (default: the running agent's).",
            valueName: "dir"
        ),
        completion: .directory
    )
    var directory: String?

    /// Reads the configuration and the folders.
    ///
    /// What is wrong with the configuration is said on standard error, and the status is 78.
    func survey() throws -> HookSurvey {
        let files = try source.files()
        let settings: Settings
        do throws(ConfigurationErrors) {
            settings = try files.load().settings
        } catch {
            throw AgentFileOptions.rejection(of: error)
        }
        return HookSurvey(
            place.hooks(of: settings, agent: files.agent),
            files: files,
            isSwitchedOff: !settings.runsHooks,
            user: AccountName.user(geteuid()) ?? "UID \(geteuid())"
        )
    }

    /// The source of the event that an argument names.
    func event(_ argument: String) -> HookEventSource {
        HookEventSource(argument: argument, directory: directory, socket: source.agent.socket)
    }
}
