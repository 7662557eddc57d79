internal import ArgumentParser
internal import CommandText
internal import ForeignText

/// The message for an invalid command line: the mistake, its correction, and a pointer to the help.
///
/// swift-argument-parser reports errors in its own words, and with the arguments as typed. They are rewritten here in
/// the form of all other errors, on one line without control characters.
struct UsageError {
    /// The command that the arguments select.
    private let command: CommandPath
    private let message: String
    private let help: String?

    /// Creates the message for an error of parsing or validating arguments.
    init(_ error: any Error, _ arguments: [String]) {
        // `help TOPIC` is about the command that follows.
        command = CommandPath(arguments.first == "help" ? arguments.dropFirst() : arguments[...])
        message = ReachAgentCommand.message(for: error)
        // Only the first help line can be that of the parser.
        let lines = ReachAgentCommand.fullMessage(for: error, columns: 1000).split(separator: "\n")
        help = lines.first { $0.hasPrefix("Help:  ") }.map { String($0.dropFirst("Help:  ".count)) }
    }

    /// The lines for standard error.
    ///
    /// - Parameter columns: The width of the terminal; `nil` for a file or a pipe, where no sentence is wrapped.
    func text(columns: Int?) -> String {
        var block = TextBlock(columns: columns ?? .max)
        block.add(ForeignText.line("\(command.name): \(sentence)"), hanging: 2)
        if let help, isAboutValue { block.add("", ForeignText.line(help), indent: 2, labelWidth: 0) }
        block.add("usage: \(usage)")
        block.add("help:  \(command.name) --help")
        return block.text
    }

    /// True when the sentence is about the value of an argument, which its help explains.
    private var isAboutValue: Bool { !isGroup && message.hasPrefix("Missing ") }

    /// The names of the commands below this one.
    private var names: [String] { command.type.configuration.subcommands.compactMap { $0.configuration.commandName } }

    private var isGroup: Bool { !command.isComplete }

    private var rest: ArraySlice<String> { command.rest }

    private var usage: String {
        if isGroup { return "\(command.name) <command> [<options>]" }
        return command.type.configuration.usage ?? "\(command.name) [<options>]"
    }

    // MARK: The sentence

    private var sentence: String {
        if let word = rest.first(where: { !Self.dashes(of: $0).isEmpty }) { return Self.dashed(word) }
        if isGroup, let word = rest.first { return Self.isOption(word) ? misplaced(word) : unknownCommand(word) }
        if let name = Self.quoted(message, after: "Unknown option '") { return unknownOption(name) }
        if let word = Self.quoted(message, after: "Unexpected argument '") { return unexpected(word) }
        if let word = Self.quoted(message, after: "The option '") {
            return "'\(word)' takes no value" + (Self.values(of: word, in: rest).map { ", got '\($0)'" } ?? "")
        }
        if let name = Self.quoted(message, after: "Missing value for '") {
            return "the value of '\(name)' is missing" + negative(after: name)
        }
        if let name = Self.quoted(message, after: "Missing expected argument '") { return "'\(name)' is missing" }
        return value ?? message
    }

    /// The message for a value that is not accepted, with what the option expects.
    private var value: String? {
        let start = "The value '"
        guard message.hasPrefix(start),
            let end = message.dropFirst(start.count).firstRange(of: "' is invalid for '")
        else { return nil }
        let value = message.dropFirst(start.count)[..<end.lowerBound]
        let rest = message[end.upperBound...]
        // The parser takes the word behind an unknown option for an argument, and reports that first.
        if rest.hasPrefix("<"), let option = firstUnknownOption { return unknownOption(option) }
        if let list = rest.firstRange(of: "'. Please provide one of ") {
            let words = CommandMistake.values(listedIn: rest[list.upperBound...])
            let question =
                options.contains("--\(value)")
                ? "; did you mean '--\(value)'?" : KeySuggestion.question(about: String(value), among: words)
            return "'\(rest[..<list.lowerBound])': expected \(CommandMistake.listed(words)), got '\(value)'\(question)"
        }
        // Number types are the only ones without an error message of their own.
        if rest.hasSuffix("'"), rest.firstRange(of: "': ") == nil {
            return "'\(rest.dropLast())': expected a whole number, got '\(value)'"
        }
        // The messages of this project name the value themselves.
        guard let colon = rest.firstRange(of: "': ") else { return nil }
        return "'\(rest[..<colon.lowerBound])': \(rest[colon.upperBound...])"
    }

    private func unknownCommand(_ word: String) -> String {
        if command.name == "reachagent", let other = CommandSynonyms.command(word) {
            return "there is no command '\(ForeignText.shown(word, limit: 64))'; did you mean '\(other)'?"
        }
        return CommandMistake.unknownCommand(word, among: names)
    }

    /// A hint for a value that begins like an option: `--since -5m`.
    private func negative(after option: String) -> String {
        let name = option.prefix { $0 != " " }
        guard let index = rest.firstIndex(where: { $0 == name }), index + 1 < rest.endIndex else { return "" }
        let value = rest[index + 1]
        guard value.hasPrefix("-"), value.dropFirst().first?.isNumber == true else { return "" }
        let shown = ForeignText.shown(value, limit: 64)
        return "; '\(shown)' begins like an option, write '\(shown.dropFirst())'"
    }

    private func misplaced(_ option: String) -> String {
        guard let word = rest.dropFirst().first(where: { names.contains($0) }) else {
            return "'\(ForeignText.shown(option, limit: 64))' needs a command before it"
        }
        return "an option follows its command: \(command.name) \(word) \(ForeignText.shown(option, limit: 64))"
    }

    private func unknownOption(_ name: String) -> String {
        let known = options
        if let other = CommandSynonyms.option(name, among: known) {
            return "there is no option '\(ForeignText.shown(name, limit: 64))'; did you mean '\(other)'?"
        }
        return CommandMistake.unknownOption(name, among: known)
    }

    private var firstUnknownOption: String? {
        let known = options
        let names = rest.prefix { $0 != "--" }.filter { $0.hasPrefix("--") }.map { String($0.prefix { $0 != "=" }) }
        return names.first { !known.contains($0) }
    }

    private func unexpected(_ word: String) -> String {
        let shown = ForeignText.shown(word, limit: 64)
        guard word.firstRange(of: "://") != nil, options.contains("--probe") else {
            return "unexpected argument '\(shown)'"
        }
        return "unexpected argument '\(shown)'; a target to check is given with '--probe'"
    }

    /// The long options of the command, as its help lists them.
    private var options: [String] {
        CommandMistake.options(in: ReachAgentCommand.helpMessage(for: command.type, columns: 120))
    }

    // MARK: Words

    /// The dashes at the beginning of a word: web pages and word processors turn two hyphens into one dash.
    private static func dashes(of word: String) -> Substring {
        word.prefix { $0 == "\u{2013}" || $0 == "\u{2014}" || $0 == "\u{2212}" }
    }

    private static func dashed(_ word: String) -> String {
        "'\(ForeignText.shown(word, limit: 64))' starts with a dash that is not a hyphen; "
            + "write '--\(ForeignText.shown(String(word.dropFirst(dashes(of: word).count)), limit: 64))'"
    }

    private static func isOption(_ word: String) -> Bool { word.hasPrefix("-") && word.utf8.count > 1 }

    /// The text between an opening and the next quotation mark.
    private static func quoted(_ message: String, after opening: String) -> String? {
        guard message.hasPrefix(opening) else { return nil }
        return String(message.dropFirst(opening.count).prefix { $0 != "'" })
    }

    /// The value that an option was given with an equals sign.
    private static func values(of option: String, in words: ArraySlice<String>) -> String? {
        words.first { $0.hasPrefix("\(option)=") }.map {
            ForeignText.shown(String($0.dropFirst(option.count + 1)), limit: 64)
        }
    }
}

/// The words that other programs use for commands and options of the agent.
enum CommandSynonyms {
    private static let commands = [
        "check-config": "config check", "validate": "config check", "init": "config init", "show": "config show",
        "configtest": "config check", "list": "status", "info": "status", "state": "status", "top": "status --watch",
        "log": "history", "logs": "history", "journal": "history", "events": "watch", "follow": "watch",
        "monitor": "watch", "tail": "watch", "subscribe": "watch", "start": "run", "daemon": "run", "serve": "run",
        "ping": "probe", "test": "probe", "curl": "probe", "netcheck": "diagnose", "doctor": "diagnose",
        "bugreport": "diagnose", "debug": "diagnose", "wait": "wait-online", "online": "wait-online",
        "links": "interfaces", "link": "interfaces", "devices": "interfaces", "ip": "interfaces", "routes": "route",
        "clients": "subscribers", "sla": "report", "availability": "report", "uptime": "report", "version": "--version",
        "completions": "completion", "hook": "hooks list", "cert": "trust evaluate", "verify": "trust evaluate",
        "speedtest": "measure", "speed": "measure", "throughput": "measure", "bandwidth": "measure", "iperf": "measure",
        "networkquality": "measure", "transfer": "measure", "probes": "status probes", "uplinks": "status uplinks",
        "agent": "status agent",
    ]

    private static let options: [String: [String]] = [
        "follow": ["--follow", "--watch"], "f": ["--follow", "--watch"], "w": ["--watch"],
        "lines": ["--last"], "tail": ["--last"], "count": ["--last"], "max": ["--last"],
        "from": ["--since"], "start": ["--since"], "to": ["--until"], "end": ["--until"],
        "file": ["--config"], "c": ["--config"], "conf": ["--config"], "j": ["--json"],
        "v": ["--log-level"], "verbose": ["--log-level", "--full"], "debug": ["--log-level"],
        "loglevel": ["--log-level"],
        "all": ["--full"], "a": ["--full", "--all"], "long": ["--full"],
        "url": ["--probe"], "iface": ["--interface"], "dev": ["--interface"], "device": ["--interface"],
        "i": ["--interface"], "k": ["--allow-invalid-certificates"], "insecure": ["--allow-invalid-certificates"],
        "cacert": ["--ca-file"], "ca": ["--ca-file"], "cert": ["--client-certificate"], "key": ["--client-key"],
        "x": ["--method"], "request": ["--method"], "h": ["--header"], "d": ["--json-body"], "data": ["--json-body"],
        "user": ["--basic-auth-file"], "u": ["--basic-auth-file"], "l": ["--max-redirects"],
        "location": ["--max-redirects"], "follow-redirects": ["--max-redirects"], "resolve": ["--connect-to"],
        "4": ["--ipv4"], "6": ["--ipv6"], "max-time": ["--timeout"], "m": ["--timeout"], "t": ["--timeout", "--type"],
        "wait": ["--timeout"], "event": ["--type"], "events": ["--type"], "filter": ["--type"],
        "out": ["--output"], "o": ["--output", "--format"], "no-color": ["--color never"],
        "no-colour": ["--color never"],
        "colour": ["--color"], "sock": ["--socket"], "s": ["--socket"], "hook-dir": ["--hooks"],
    ]

    /// The commands of the service manager, which starts and stops the agent.
    private static let services = ["stop", "restart", "enable", "disable"]

    /// The command for a word: the agent's, or that of the service manager.
    static func command(_ word: String) -> String? {
        let word = word.lowercased()
        return services.contains(word) ? "systemctl \(word) reachagent" : commands[word].map { "reachagent \($0)" }
    }

    /// The agent's option for a word with its hyphens, if the command has it.
    static func option(_ word: String, among known: [String]) -> String? {
        let plain = String(word.drop { $0 == "-" })
        let names = options[plain.lowercased()] ?? []
        return names.first { name in known.contains { $0 == name.prefix { $0 != " " } } }
    }
}
