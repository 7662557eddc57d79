internal import ArgumentParser
internal import ConfigurationFile
internal import FoundationEssentials
internal import Glibc
internal import Hooks
internal import NetlinkMonitor
internal import Probes
internal import Reachability

/// `reachagent check-config`: whether the configuration files are right, and what is in effect.
struct CheckConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check-config",
        abstract: "Tell everything that is wrong in the configuration.",
        discussion: """
            Every error is told with file, line and key, all at once, and what is no error but will surprise as a warning. \
            Without a file the one is read that 'reachagent run' would read: that of $CONFIGURATION_DIRECTORY; for root \
            /etc/reachagent/reachagent.toml, else the one below /usr/lib; for others \
            $XDG_CONFIG_HOME/reachagent/reachagent.toml. The drop-ins FILE.d/*.toml are read too, ordered by name.

            EXAMPLES
              reachagent check-config
              reachagent check-config new.toml --show

            EXIT STATUS
              0   everything is right, also when there is no file at all
              78  something is wrong
            """
    )

    @Argument(help: "The configuration file.", completion: .file(extensions: ["toml"]))
    var file: String?

    @Flag(help: "Print every value in effect and where it comes from; together they are a configuration file.")
    var show = false

    func run() throws {
        let environment = ProcessInfo.processInfo.environment
        guard let path = file ?? ConfigurationFile.standardPath(environment: environment, isRoot: geteuid() == 0) else {
            return Terminal.print("there is no configuration file; the defaults apply, and nothing is probed")
        }
        let loaded: ConfigurationFile.Loaded
        do throws(ConfigurationErrors) {
            loaded = try ConfigurationFile.load(
                path,
                serializer: RequestOptions.serializer(),
                listsEffective: show,
                looksUpAccounts: true
            )
        } catch {
            for line in error.errors { Terminal.printError(line.description) }
            Terminal.printError(Self.count(error.errors.count, "error"))
            throw ExitCode(ExitStatus.badConfiguration)
        }
        for warning in loaded.warnings { Terminal.printError("warning: \(warning)") }
        let (probes, targets) = (loaded.settings.probes.count, loaded.settings.targets.count)
        let hooks = loaded.settings.hooks.definitions.count
        let counts = [(probes, "probe"), (targets, "target")] + (hooks > 0 ? [(hooks, "hook")] : [])
        let summary = "\(path): ok, \(counts.map(Self.count).joined(separator: ", "))"
        guard show else { return Terminal.print(summary) }
        Terminal.print((["# \(summary)"] + loaded.effective).joined(separator: "\n"))
    }

    private static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
}
