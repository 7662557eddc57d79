extension Manual {
    /// reachagent(8), of what the program tells of its own command line.
    func agentPage(_ tool: ToolDescription) throws -> RoffPage {
        let root = tool.command
        var page = page(root.commandName, 8, "tells how this machine is reachable, and every change of it")
        let help = HelpText.blocks(root.discussion ?? "")
        let status = help.firstIndex(of: .heading("EXIT STATUS")) ?? help.endIndex
        page.section("Synopsis")
        page.lines(root.leaves.map { RoffPage.usage($0.path, $0.command) })
        page.section("Description")
        page.set(Array(help[..<status]))
        page.set(try Self.blocks(Self.agentDescription, page: "reachagent"))
        page.section("Commands")
        page.paragraph(HelpText.spans("All commands know --help and --version. A value follows a space or '='."))
        for (path, command) in root.leaves { page.set(command, path: path) }
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
}

extension RoffPage {
    /// How a command is called.
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

    /// A command: what it is for, how it is called, and its options in the groups of its help.
    fileprivate mutating func set(_ command: ToolDescription.Command, path: [String]) {
        subsection(path.joined(separator: " "))
        paragraph(Self.usage(path, command))
        paragraph(HelpText.spans(command.abstract ?? ""))
        set(HelpText.blocks(command.discussion ?? ""))
        let arguments = (command.arguments ?? []).filter { $0.shouldDisplay && !$0.isCommon }
        var titles = ["Arguments"]
        for argument in arguments where !titles.contains(argument.title) { titles.append(argument.title) }
        // The help shows options without a title last, too.
        titles = titles.filter { $0 != "Options" } + ["Options"]
        for title in titles {
            let group = arguments.filter { $0.title == title }
            if !group.isEmpty { heading(Self.sentence(title)) }
            for argument in group {
                item(argument.tag, [HelpText.spans(argument.sentence), HelpText.spans(argument.discussion ?? "")])
            }
        }
    }

    /// The parts of a help.
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

    /// `EXIT STATUS` as a heading within a section.
    private static func sentence(_ title: String) -> String {
        title.prefix(1).uppercased() + title.dropFirst().lowercased()
    }
}

extension ToolDescription.Argument {
    /// The group that the help shows it in.
    fileprivate var title: String { sectionTitle ?? (kind == .positional ? "Arguments" : "Options") }

    /// `--type TYPE`, or the name of an argument.
    fileprivate var tag: [Span] {
        guard kind != .positional else { return [.emphasis(valueName ?? "")] }
        var spans: [Span] = []
        for name in names ?? [] { spans += (spans.isEmpty ? [] : [.plain(", ")]) + [.literal(name.text)] }
        if kind == .option, let valueName { spans += [.plain(" "), .emphasis(valueName)] }
        return spans
    }

    /// What it means, with its values and its default where the sentence does not tell them.
    fileprivate var sentence: String {
        let abstract = abstract ?? ""
        let values = allValues.map { "values: \($0.joined(separator: ", "))" }
        let standard = abstract.contains("default:") ? nil : defaultValue.map { "default: \($0)" }
        let facts = [values, standard].compactMap(\.self)
        return facts.isEmpty ? abstract : "\(abstract) (\(facts.joined(separator: "; ")))"
    }
}
