internal import AgentEvents
internal import ArgumentParser
internal import Availability
internal import EventJournal
internal import ForeignText

/// `reachagent report`: the availability over a time, and its outages.
struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Report availability and outages.",
        usage: "reachagent report [<options>]",
        discussion: """
            Reads the journal itself, that of the running agent, or without one the first that is found. Every moment of the time is full, partial, portal, \
            local, none or unknown; their sum is the time. Time of which the journal says nothing is unknown, and never \
            counted as available. Times and days are those of the system's time zone (TZ).

            Each outage is attributed to a segment: machine, wifi, modem, first_hop, provider, portal, target, or \
            undetermined, with the evidence or with what was missing. Only with '[connectivity] first_hop' can a silent \
            gateway be distinguished from the provider.

            EXAMPLES
              reachagent report
              reachagent report --month 2026-10 --slo 99.5
              reachagent report --since 7d --uplink wlan0
              reachagent report --month 2026-10 --format html >report.html

            EXIT STATUS
              0   done
              64  wrong usage, such as a month that does not exist
              69  there is no journal, or it has no data of this time, or no agent answers
                  at the named socket
              75  the journal could not be read, or the output not written, or no answer
                  in time at the named socket; try again
              77  no permission to read the journal, or to ask the agent at the named
                  socket
              78  the journal is of a newer version
            """
    )

    @OptionGroup var time: ReportOptions

    @Option(
        help: ArgumentHelp("Report on this uplink instead of the default path.", valueName: "interface"),
        completion: .agentNames(of: .uplinks)
    )
    var uplink: String?

    @Option(
        help: ArgumentHelp("Report on this probe instead of the default path.", valueName: "name"),
        completion: .agentNames(of: .probes)
    )
    var probe: String?

    @Option(
        help: ArgumentHelp("The objective, for the error budget: 99.5 for 99.5 %.", valueName: "percent"),
        transform: ReportOptions.objective(argument:)
    )
    var slo: Objective?

    @Option(help: "The output format.")
    var format = ReportFormat.text

    @OptionGroup var source: JournalSourceOptions

    func validate() throws {
        if uplink != nil, probe != nil { throw ValidationError("'--uplink' and '--probe' exclude each other") }
    }

    func run() throws {
        let directories = try source.directories()
        let path = JournalLocation.existing(directories)
        let report: Report
        do {
            report = try self.report(of: ReportedJournal(path: path))
        } catch let error as JournalError {
            throw JournalLocation.status(of: error, directories: directories)
        } catch let error as ReportedJournal.NewerVersion {
            Terminal.printError("reachagent: \(error)")
            throw ExitCode(ExitStatus.badConfiguration)
        } catch let error as NothingToReport {
            guard JournalLocation.isJournal(path) else { throw JournalLocation.missing(directories) }
            Terminal.printError("reachagent: \(error)")
            throw ExitCode(ExitStatus.unavailable)
        }
        report.print(as: format)
    }

    /// The reason that there is no report.
    struct NothingToReport: Error, CustomStringConvertible {
        let description: String
    }

    /// Creates the report.
    func report(of journal: ReportedJournal) throws -> Report {
        let account = try journal.account(of: try time.window(now: .now), selection)
        guard let report = Report(account, selection, objective: slo), !account.isEmpty else {
            throw NothingToReport(description: try absence(from: journal, account))
        }
        return report
    }

    private var selection: Report.Selection {
        uplink.map(Report.Selection.uplink) ?? probe.map(Report.Selection.probe) ?? .everything
    }

    /// The reason that there is nothing to report.
    private func absence(from journal: ReportedJournal, _ account: Account) throws(JournalError) -> String {
        let civil = account.window.civilTime
        let time = "\(civil.text(account.window.start)) to \(civil.text(account.window.end))"
        let path = journal.path
        guard let (first, last) = try journal.times() else { return "the journal in \(path) has no events" }
        let extent = "it reaches from \(civil.text(first)) to \(civil.text(last))"
        switch selection {
        case .uplink(let name) where !account.isEmpty:
            return "the journal in \(path) has no uplink '\(ForeignText.line(name))'; \(extent)"
        case .probe(let name) where !account.isEmpty:
            return "the journal in \(path) has no probe '\(ForeignText.line(name))'; \(extent)"
        case _ where account.subjects.contains { $0.tally.lacksVerdicts }:
            return "no probe had a verdict from \(time), so the availability is not known; "
                + "'reachagent status probes' shows the probes"
        default:
            return "the journal in \(path) has no data of \(time); \(extent)"
        }
    }
}
