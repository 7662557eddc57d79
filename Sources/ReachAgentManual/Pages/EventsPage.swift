extension Manual {
    /// Returns reachagent-events(7), from docs/events.md, docs/findings.md and the refusals of docs/hooks.md.
    func eventsPage() throws -> RoffPage {
        var page = page("reachagent-events", 7, "events and codes of the reachability agent")
        let document = try document("events.md", page: "reachagent-events")
        page.section("Description")
        page.set(document.introduction)
        page.set(try Self.blocks(Self.sources, page: "reachagent-events"))
        for title in document.titles(level: 2) {
            page.section(title)
            page.set(try section(title, of: "events.md", page: "reachagent-events"), headings: 3)
        }
        let findings = try self.document("findings.md", page: "reachagent-events")
        page.section("Findings")
        page.set(findings.introduction)
        for title in findings.titles(level: 2) {
            page.subsection(title == "Codes" ? "Codes of findings" : title)
            page.set(try section(title, of: "findings.md", page: "reachagent-events"), headings: 3)
        }
        page.section("Refusals of hooks")
        page.paragraph([
            .plain("Values of "), .literal("refusal.code"), .plain(" in "), .literal("hook.completed"), .plain(". "),
        ])
        page.set(try section("Refused files", of: "hooks.md", page: "reachagent-events"))
        page.section("Examples")
        page.set(try Self.blocks(Self.eventExamples, page: "reachagent-events"))
        page.section("See also")
        page.set(
            try Self.blocks(
                """
                reachagent(8), reachagent.toml(5), jq(1), \(Self.installed)/docs/protocol.md, \
                \(Self.installed)/docs/journal.md
                """,
                page: "reachagent-events"
            )
        )
        return page
    }

    private static let sources = """
        Events are printed by `reachagent run`, `watch` and `history --json`, sent to everybody who reads \
        `/run/reachagent/events.sock` or subscribes at `/run/reachagent/control.sock`, kept in the journal, and given to \
        hooks on standard input.
        """

    private static let eventExamples = """
        How the machine is reachable, from now on:

            reachagent watch --json --type reachability.changed |
                jq -r '"\\(.time) \\(.data.to.via) \\(.data.to.connectivity)"'

        The reason of every loss of this week:

            reachagent history --since 7d --type reachability.changed --json |
                jq -r 'select(.data.to.via == "none").data.cause.code'

        Which checks failed, and why:

            reachagent watch --json --type probe.completed |
                jq -r 'select(.data.report.verdict != "ok").data.report.code'
        """
}
