extension Manual {
    /// Returns reachagent(8), from the program's description of its own command line.
    func agentPage(_ tool: ToolDescription) throws -> RoffPage {
        let root = tool.command
        var page = page(root.commandName, 8, "report network reachability and its changes")
        let help = HelpText.blocks(root.discussion ?? "")
        let status = help.firstIndex(of: .heading("EXIT STATUS")) ?? help.endIndex
        page.section("Synopsis")
        let options: [Span] = [.plain(" ["), .emphasis("option"), .plain("]...")]
        page.lines([[.literal(root.commandName), .plain(" "), .emphasis("command")] + options])
        page.section("Description")
        page.set(Array(help[..<status]))
        page.set(try Self.blocks(Self.agentDescription, page: "reachagent"))
        page.section("Commands")
        page.paragraph(HelpText.spans("All commands know --help and --version. A value follows a space or '='."))
        for (path, command) in root.leaves {
            page.item([.page(name: Self.pageName(path), section: 8)], [HelpText.spans(command.abstract ?? "")])
        }
        page.section("Exit status")
        page.set(Array(help[status...].dropFirst()))
        page.paragraph([
            .plain("The unit of systemd does not restart the agent after 64 and 78: no restart mends that.")
        ])
        for (title, text) in Self.agentSections {
            page.section(title)
            page.set(try Self.blocks(text, page: "reachagent"))
        }
        return page
    }

    /// Returns a page for each command, such as reachagent-status(8), with its name.
    func commandPages(_ tool: ToolDescription) throws -> [(name: String, page: RoffPage)] {
        try tool.command.leaves.map { path, command in (Self.pageName(path), try commandPage(path, command)) }
    }

    /// Returns the name of a command's page: its words with hyphens between them.
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
            // The section's own heading stands above a single group.
            if !group.isEmpty, group.count < arguments.count { subsection(Self.sentence(title)) }
            for argument in group {
                item(argument.tag, [HelpText.spans(argument.sentence), HelpText.spans(argument.discussion ?? "")])
            }
        }
    }

    /// Writes the blocks of a help text.
    fileprivate mutating func set(_ blocks: [HelpText.Block]) {
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
