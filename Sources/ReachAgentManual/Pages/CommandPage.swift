extension Manual {
    /// Returns a page for each command, such as reachagent-status(8), with its name.
    func commandPages(_ tool: ToolDescription) throws -> [(name: String, page: RoffPage)] {
        try tool.command.leaves.map { path, command in (Self.pageName(path), try commandPage(path, command)) }
    }

    /// Returns the name of a command's page: the words of the command, separated by hyphens.
    static func pageName(_ path: [String]) -> String { path.joined(separator: "-").replacing(" ", with: "-") }

    /// Returns the page of a command.
    private func commandPage(_ path: [String], _ command: ToolDescription.Command) throws -> RoffPage {
        let abstract = command.abstract ?? ""
        let summary = abstract.prefix(1).lowercased() + abstract.dropFirst()
        var page = page(Self.pageName(path), 8, summary.hasSuffix(".") ? String(summary.dropLast()) : summary)
        page.section("Synopsis")
        page.lines([RoffPage.usage(path, command)])
        let help = HelpText.sections(of: command.discussion ?? "")
        page.section("Description")
        page.paragraph(HelpText.spans(abstract))
        page.set(help.first { $0.title == nil }?.blocks ?? [])
        page.setOptions(of: command)
        // A manual has its examples last (man-pages(7)).
        let (examples, others) = (help.filter { $0.title == "EXAMPLES" }, help.filter { $0.title != "EXAMPLES" })
        for section in others + examples {
            guard let title = section.title else { continue }
            page.section(title)
            page.set(section.blocks)
        }
        for (title, text) in Self.sections[Self.pageName(path)] ?? [] {
            page.section(title)
            page.set(try Self.blocks(text, page: Self.pageName(path)))
        }
        page.section("See also")
        page.paragraph([
            .page(name: "reachagent", section: 8), .plain(", "), .page(name: "reachagent.toml", section: 5),
            .plain(", "),
            .page(name: "reachagent-events", section: 7),
        ])
        return page
    }
}

extension RoffPage {
    /// Returns the usage of a command.
    fileprivate static func usage(_ path: [String], _ command: ToolDescription.Command) -> [Span] {
        var spans = [Span.literal(path.joined(separator: " "))]
        let arguments = (command.arguments ?? []).filter(\.shouldDisplay)
        for argument in arguments where argument.kind == .option && !argument.isOptional {
            spans += [.plain(" ")] + argument.tag
        }
        if arguments.contains(where: { $0.kind != .positional && $0.isOptional && !$0.isCommon }) {
            spans += [.plain(" ["), .emphasis("option"), .plain("]...")]
        }
        for argument in arguments where argument.kind == .positional {
            let name = Span.emphasis(argument.valueName ?? "")
            spans += argument.isOptional ? [.plain(" ["), name, .plain("]")] : [.plain(" "), name]
        }
        return spans
    }

    /// Writes a command's options in the groups of its help.
    fileprivate mutating func setOptions(of command: ToolDescription.Command) {
        let arguments = (command.arguments ?? []).filter { $0.shouldDisplay && !$0.isCommon }
        var titles = ["Arguments"]
        for argument in arguments where !titles.contains(argument.title) { titles.append(argument.title) }
        // The help also shows options without a title last.
        titles = titles.filter { $0 != "Options" } + ["Options"]
        if !arguments.isEmpty { section("Options") }
        for title in titles {
            let group = arguments.filter { $0.title == title }
            // For a single group, the section's own heading is sufficient.
            if !group.isEmpty, group.count < arguments.count { subsection(Self.sentence(title)) }
            for argument in group {
                item(argument.tag, [HelpText.spans(argument.sentence), HelpText.spans(argument.discussion ?? "")])
            }
        }
    }

    /// Writes the blocks of a help text.
    mutating func set(_ blocks: [HelpText.Block]) {
        for block in blocks {
            switch block {
            case .heading(let title): heading(Self.sentence(title))
            case .paragraph(let text): paragraph(HelpText.spans(text))
            case .rows(let rows): for row in rows { item([.literal(row.tag)], [HelpText.spans(row.text)]) }
            case .example(let lines): example(lines)
            }
        }
    }

    /// Returns a title such as `EXIT STATUS` as a heading within a section.
    private static func sentence(_ title: String) -> String {
        title.prefix(1).uppercased() + title.dropFirst().lowercased()
    }
}

extension ToolDescription.Argument {
    /// The group in the help.
    fileprivate var title: String { sectionTitle ?? (kind == .positional ? "Arguments" : "Options") }

    /// `--type TYPE`, or the name of an argument.
    fileprivate var tag: [Span] {
        guard kind != .positional else { return [.emphasis(valueName ?? "")] }
        var spans: [Span] = []
        for name in names ?? [] { spans += (spans.isEmpty ? [] : [.plain(", ")]) + [.literal(name.text)] }
        if kind == .option, let valueName { spans += [.plain(" "), .emphasis(valueName)] }
        return spans
    }

    /// The meaning, with the values and the default unless the sentence mentions them.
    fileprivate var sentence: String {
        let abstract = abstract ?? ""
        let values = allValues.map { "values: \($0.joined(separator: ", "))" }
        let standard = abstract.contains("default:") ? nil : defaultValue.map { "default: \($0)" }
        let facts = [values, standard].compactMap(\.self)
        return facts.isEmpty ? abstract : "\(abstract) (\(facts.joined(separator: "; ")))"
    }
}

extension Manual {
    /// The sections of pages beyond the program's own help, in Markdown.
    static let sections = ["reachagent-sink": sinkSections]

    private static let sinkSections = [
        ("Operation", operation), ("Exit status", exitStatus), ("Signals", signals), ("Environment", environment),
        ("Files", files),
    ]

    private static let operation = """
        The agent writes the list of its sinks to `sinks.json` beside its sockets. `reachagent-sink.path` starts \
        `reachagent-sink.service` when the file exists; a reload of the agent adds, changes and removes sinks without a \
        restart. To stop the program for good, remove the sinks from the configuration and reload the agent, or stop both \
        units: `systemctl disable --now reachagent-sink.path` and `systemctl stop reachagent-sink.service`.

        Credentials are read from files, which the user `reachagent` must be able to read. A credential of systemd is a file \
        in `/run/credentials/reachagent-sink.service`, given to this service by a drop-in with `LoadCredential=`.

        A sink of NATS begins behind the newest event of this device that the broker has stored, and each event is stored \
        once and in order, whatever is killed meanwhile. A sink of MQTT begins behind its saved position, and delivers each \
        event at least once. Events that leave the agent's journal before the broker has them are published by the agent as \
        `sink.lost`.
        """

    private static let exitStatus = """
        | Status | Meaning |
        |---|---|
        | `0` | No sink is configured, or a signal ended the program. |
        | `64` | The command line is wrong. |
        | `73` | The positions cannot be kept. |
        | `75` | The agent cannot be followed, or the system has no threads or descriptors left. |
        """

    private static let signals = """
        | Signal | Meaning |
        |---|---|
        | `SIGTERM`, `SIGINT` | The connections are closed and the positions saved, within two seconds. The second of them ends the program at once. |
        | `SIGHUP` | The list of the sinks is read again. |
        """

    private static let environment = """
        | Variable | Meaning |
        |---|---|
        | `REACHAGENT_SOCKET` | The agent's control socket, where neither `--socket` nor `--runtime-directory` names one. |
        | `STATE_DIRECTORY` | The positions are in it (systemd.exec(5)). |
        | `XDG_STATE_HOME`, `HOME` | The positions are in `reachagent-sink`, or `.local/state/reachagent-sink`, below it. |
        | `NOTIFY_SOCKET` | The service manager's socket, for `READY=1`, `STATUS=` and `STOPPING=1` (sd_notify(3)). |
        """

    private static let files = """
        | File | Meaning |
        |---|---|
        | `/run/reachagent/sinks.json` | The list of the sinks, written by the agent; without secrets. |
        | `/var/lib/reachagent-sink/NAME.cursor` | The position of a sink: a hint, which the broker's newest event overrules where the broker can be asked. |
        """
}
