import Foundation

extension Manual {
    /// Returns reachagent.toml(5), from docs/configuration.md, whose tables of keys are generated from their
    /// declarations.
    func configurationPage() throws -> RoffPage {
        var page = page("reachagent.toml", 5, "configuration of the reachability agent")
        page.section("Synopsis")
        let directory = "/etc/reachagent/reachagent.toml"
        page.lines([[.literal(directory)], [.literal("\(directory).d/"), .emphasis("*"), .literal(".toml")]])
        page.section("Description")
        page.set(try Self.blocks(Self.configurationDescription, page: "reachagent.toml"))
        page.section("Files and precedence")
        page.set(try section("Files", of: "configuration.md", page: "reachagent.toml"))
        page.section("Values")
        page.set(try section("Values", of: "configuration.md", page: "reachagent.toml"))
        page.section("Tables and keys")
        try setTables(on: &page)
        page.section("Programs of hooks")
        page.set(try section("The input of a program", of: "hooks.md", page: "reachagent.toml"))
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
                "reachagent(8), reachagent-events(7), systemd.exec(5), \(Self.installed)/docs/hooks.md",
                page: "reachagent.toml"
            )
        )
        return page
    }

    /// Writes the documentation of the tables: everything between the value formats and the warnings.
    private func setTables(on page: inout RoffPage) throws {
        var isInTable = false
        for block in try document("configuration.md", page: "reachagent.toml") {
            switch block {
            case .heading(let level, let spans):
                // A heading such as `[agent]` starts a table; the headings below it belong to it.
                if level == 2 { isInTable = spans.plainText.hasPrefix("[") }
                guard isInTable else { continue }
                level == 2 ? page.subsection(spans.plainText) : page.heading(spans.plainText)
            case .table(let head, let rows) where isInTable && head.map(\.plainText).starts(with: ["Key", "Type"]):
                for row in rows { set(row, head: head.map(\.plainText), on: &page) }
            default:
                if isInTable { page.set([block]) }
            }
        }
    }

    /// Writes a row of a table of keys, `up = duration`, followed by the meaning and the default.
    func set(_ row: [[Span]], head: [String], on page: inout RoffPage) {
        var (rest, names) = (row, head)
        rest.remove(at: 1)
        names.remove(at: 1)
        let bodies = RoffPage.bodies(rest, head: names)
        page.item(
            row[0] + [.plain(" = "), .emphasis(row[1].plainText)],
            bodies.map { $0.plainText == "Default: required" ? [.plain("Required.")] : $0 }
        )
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

        `reachagent config check` reports every error with file, line and key, `config show` prints every value in \
        effect and where it comes from, and `config init` writes a file with two probes. `reachagent reload`, `systemctl reload reachagent` and \
        SIGHUP make a running agent read it again; when anything is wrong, nothing changes. Settings that take \
        effect on the next start are named.
        """

    private static let credentials = """
        Wherever a path stands, `credential:NAME` is accepted too: the file *NAME* in `$CREDENTIALS_DIRECTORY`, which \
        systemd makes for the service and no other user can read. Nothing secret has to be readable by the agent's user in \
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
    /// Returns the lines without the trailing ones that match a condition.
    func dropLast(while isDropped: (String) -> Bool) -> [String] {
        Array(reversed().drop(while: isDropped).reversed())
    }
}
