import Foundation

extension Manual {
    /// reachagent.toml(5), of docs/configuration.md and what the reader of the configuration says of each key.
    func configurationPage() throws -> RoffPage {
        var page = page("reachagent.toml", 5, "configuration of the reachability agent")
        page.section("Synopsis")
        let folder = "/etc/reachagent/reachagent.toml"
        page.lines([[.literal(folder)], [.literal("\(folder).d/"), .emphasis("*"), .literal(".toml")]])
        page.section("Description")
        page.set(try Self.blocks(Self.configurationDescription, page: "reachagent.toml"))
        page.section("Files and precedence")
        page.set(try section("Which files", of: "configuration.md", page: "reachagent.toml"))
        page.section("Values")
        page.set(try section("How values are written", of: "configuration.md", page: "reachagent.toml"))
        page.section("Tables and keys")
        try setTables(on: &page)
        page.section("Programs of hooks")
        page.set(try section("What a program is given", of: "hooks.md", page: "reachagent.toml"))
        page.section("Credentials")
        page.set(try Self.blocks(Self.credentials, page: "reachagent.toml"))
        page.section("Warnings")
        page.set(try section("Warnings", of: "configuration.md", page: "reachagent.toml"))
        page.section("Examples")
        page.paragraph([
            .plain("Check a site over every uplink, look for captive portals, and be sparing with cellular links:")
        ])
        page.example(try example("config/ten-lines.toml"))
        page.set(try Self.blocks(Self.configurationExamples, page: "reachagent.toml"))
        page.section("See also")
        page.set(
            try Self.blocks(
                "reachagent(8), reachagent-events(7), systemd.exec(5), \(Self.installed)/hooks.md",
                page: "reachagent.toml"
            )
        )
        return page
    }

    /// The documentation of the tables: everything between the forms of values and the warnings.
    private func setTables(on page: inout RoffPage) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "reachagent-manual-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let types = KeyTypes(folder: folder)
        var (section, table): (String?, String?) = (nil, nil)
        for block in try document("configuration.md", page: "reachagent.toml") {
            if case .heading(let level, let spans) = block {
                // A heading such as `[agent]`: the agent itself.
                if case .literal(let name)? = spans.first, name.hasPrefix("[") {
                    table = String(name.dropFirst().dropLast())
                    if level == 2 { section = table }
                } else {
                    // What follows `[hook.NAME.when]` is about `[hook.NAME]` again.
                    if level == 2 { section = nil }
                    table = section
                }
                guard table != nil else { continue }
                level == 2 ? page.subsection(spans.plainText) : page.heading(spans.plainText)
                continue
            }
            guard let table else { continue }
            guard case .table(let head, let rows) = block, head.first?.plainText == "Key" else {
                page.set([block])
                continue
            }
            for row in rows { try set(row, head: head.map(\.plainText), of: table, types: types, on: &page) }
        }
    }

    /// A row of a table of keys: the keys with their kind, what they mean, and what counts without them.
    private func set(
        _ row: [[Span]],
        head: [String],
        of table: String,
        types: KeyTypes,
        on page: inout RoffPage
    ) throws {
        let keys = row[0].compactMap { span in
            if case .literal(let key) = span { return key }
            return nil as String?
        }
        let kinds = try keys.map { key in
            guard let type = try types.type(of: key, in: table) else {
                throw MarkdownError(document: "configuration.md", line: 1, message: "[\(table)] has no key '\(key)'")
            }
            return type
        }
        page.item(Self.tag(keys, kinds), RoffPage.bodies(row, head: head).map(Self.needed))
    }

    /// `up = duration`; keys of one kind share it.
    private static func tag(_ keys: [String], _ kinds: [String]) -> [Span] {
        var tag: [Span] = []
        for (place, (key, kind)) in zip(keys, kinds).enumerated() {
            if place > 0 { tag.append(.plain(", ")) }
            tag.append(.literal(key))
            guard place + 1 == kinds.count || kinds[place + 1] != kind else { continue }
            tag += [.plain(" = "), .emphasis(kind)]
        }
        return tag
    }

    private static func needed(_ body: [Span]) -> [Span] {
        body.plainText == "Default: needed" ? [.plain("Needed.")] : body
    }

    private func example(_ name: String) throws -> [String] {
        let text = try String(contentsOf: examples.appending(path: name), encoding: .utf8)
        return text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            .dropLast { $0.isEmpty }
    }

    private static let configurationDescription = """
        The file tells reachagent(8) what to check and how, what to run when something changes, and how to keep and share \
        what it finds. It is written in TOML 1.0. Everything in it has a default: without a file the agent watches and \
        reports paths, and sends nothing to the network.

        `reachagent check-config` names everything that is wrong, with file, line and key, and `check-config --show` \
        prints every value in effect and where it comes from. `reachagent reload`, `systemctl reload reachagent` and \
        SIGHUP make a running agent read it again; when anything is wrong, nothing changes. What only takes effect with \
        the next start is said.
        """

    private static let credentials = """
        Wherever a path stands, `credential:NAME` is accepted too: the file *NAME* in `$CREDENTIALS_DIRECTORY`, which \
        systemd makes for the service and nobody else can read. Nothing secret has to be readable by the agent's user in \
        `/etc` then:

            # systemctl edit reachagent
            [Service]
            LoadCredential=chat.secret:/etc/credstore/chat.secret

            # reachagent.toml
            [hook.chat]
            url = "https://chat.example/hooks/1"
            secret_file = "credential:chat.secret"
        """

    private static let configurationExamples = """
        A resolver and a host behind a VPN, which say nothing about the Internet:

            [probe.resolver]
            target = "dns://192.0.2.53/www.example.org?type=A"
            required = false

            [probe.office]
            target = "icmp://192.0.2.7"
            interval = "30s"
            required = false

        Restart a tunnel when another uplink has become the way, but not for each step of a failover:

            [hook.tunnel]
            command = ["/usr/bin/systemctl", "try-restart", "wg-quick@wg0"]
            debounce = "3s"
            when = { to_via = ["wifi", "wired", "wwan"], changed = "interface" }

        More examples are in `\(installed)/examples/config`; `full.toml` has every key with its default.
        """
}

extension [String] {
    /// The lines without those at the end that are as told.
    func dropLast(while isDropped: (String) -> Bool) -> [String] {
        Array(reversed().drop(while: isDropped).reversed())
    }
}
