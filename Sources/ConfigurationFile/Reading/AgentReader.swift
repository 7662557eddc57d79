internal import EventJournal

/// Reads the section `[agent]`; what is not said stays open, because the command line may say it.
enum AgentReader {
    static func settings(of table: TableReader) -> AgentSettings {
        var table = table
        var agent = AgentSettings()
        agent.journal = table.read("journal", .boolean, unsaid: true)
        agent.journalDirectory = table.read("journal_directory", .path)
        // A file of the journal has 8M unless the command line says otherwise, and one must fit.
        agent.journalBytes = table.read("journal_size", .size((8 << 20)...(1 << 40)), unsaid: 64 << 20)
        agent.journalAge = table.read(
            "journal_age",
            .duration(.seconds(1) ... .seconds(36_500 * 86_400)),
            unsaid: .seconds(30 * 86_400)
        )
        agent.journalSync = table.read("journal_sync", .sync, unsaid: .standard)
        agent.compressesJournal = table.read("compress_journal", .boolean, unsaid: false)
        agent.sockets = table.read("sockets", .boolean, unsaid: true)
        agent.socketDirectory = table.read("socket_directory", .path)
        agent.socketGroup = table.read("socket_group", .string(1...64))
        agent.socketMode = table.read("socket_mode", .mode, unsaid: 0o660)
        agent.mostConnections = table.read("most_connections", .integer(1...1_000_000), unsaid: 4096)
        agent.logLevel = table.read("log_level", .choice, unsaid: .notice)
        table.finish()
        if agent.journal == false, let key = ["journal_directory", "journal_size"].first(where: table.has) {
            table.warn(key, "counts for nothing while 'journal' is false")
        }
        return agent
    }
}
