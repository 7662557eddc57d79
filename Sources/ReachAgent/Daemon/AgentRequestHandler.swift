internal import AgentEvents
internal import Configuration
internal import EventJournal
internal import ForeignText
internal import Glibc
internal import Hooks
internal import NotificationBus
internal import Probes
internal import Reachability
internal import StatePages
internal import StateSocket
internal import Synchronization

/// Answers the sockets' requests about the agent.
///
/// Called on the sockets' event loop, so every answer is made from copies in memory.
final class AgentRequestHandler: AgentInterface {
    /// The maximum number of probe names in the answer to a request with an unknown name.
    private static let maximumNames = 16

    private let statusStore: StatusStore
    private let origin: EventOrigin
    let journal: EventJournal?
    private let bus: NotificationBus<Event>
    private let sockets: StateSocketConfiguration?
    private let driver: ReachabilityDriver
    let runner: ProbeRunner
    private let reloader: Reloader
    let hooks: HookRunner
    private let sinks: SinkRegistry
    let metricsStore: MetricsStore
    let threads: [AgentThread]
    /// The addresses on which the agent cannot listen, each with the reason.
    private let unavailable = Mutex<[HTTPPort: String]>([:])
    /// The possible number of clients; `nil` without sockets that are open.
    private let connectionLimit = Mutex<Int?>(nil)
    private let history: HistoryFollower
    private let pages = PageCache()
    private let hookSetup: @Sendable () -> AgentStatus.HookSetup
    private let checkRequests = UserRequests.checks()
    private let reloadRequests = UserRequests.reloads()

    init(
        statusStore: StatusStore,
        origin: EventOrigin,
        journal: EventJournal?,
        bus: NotificationBus<Event>,
        sockets: StateSocketConfiguration?,
        driver: ReachabilityDriver,
        runner: ProbeRunner,
        reloader: Reloader,
        hooks: HookRunner,
        sinks: SinkRegistry,
        metrics: MetricsStore,
        threads: [AgentThread],
        history: HistoryFollower,
        hookSetup: @escaping @Sendable () -> AgentStatus.HookSetup
    ) {
        self.statusStore = statusStore
        self.origin = origin
        self.journal = journal
        self.bus = bus
        self.sockets = sockets
        self.driver = driver
        self.runner = runner
        self.reloader = reloader
        self.hooks = hooks
        self.sinks = sinks
        metricsStore = metrics
        self.threads = threads
        self.history = history
        self.hookSetup = hookSetup
    }

    var streamID: String { origin.streamID }

    func opening() -> StreamOpening {
        // Of one moment: a client applies the events after the number, and never gets one that is in the number only. Nor is
        // the number before an event that was delivered, which a sink would take for that of a restored disk.
        let (probes, uplinks, published) = driver.published
        let snapshot = published.snapshot(probes: probes, uplinks: uplinks)
        let sequence = published.lastSequence
        let hello = EventDraft.agentHello(
            version: Agent.version,
            origin: origin,
            sequence: sequence,
            oldestSequence: journal?.oldestSequence,
            processID: getpid()
        )
        return StreamOpening(hello: event(hello), snapshot: event(snapshot), sequence: sequence)
    }

    /// The current checks.
    var plan: ConnectivityPlan { driver.plan }

    func lagged(lastSequence: UInt64) -> Event { event(.subscriberLagged(lastSequence: lastSequence)) }

    func status(connections: Int) -> [UInt8] { JSONWriter.text(of: currentStatus(connections: connections)) }

    /// The current status.
    ///
    /// - Parameter connections: The number of connections to the sockets.
    func currentStatus(connections: Int) -> AgentStatus { statusWithRecords(connections: connections).status }

    /// Records the possible number of clients, which the limit of open files may make smaller than the configured one.
    func note(connectionLimit limit: Int) { connectionLimit.withLock { $0 = limit } }

    /// Records the reason that the agent does not listen on an address; `nil` once it does.
    func note(_ reason: String?, at port: HTTPPort) { unavailable.withLock { $0[port] = reason } }

    /// The status, and all probes, including those that do not fit into the status.
    func statusWithRecords(connections: Int) -> (status: AgentStatus, probes: [ProbeRecord]) {
        let summary = sockets.map { sockets in
            AgentStatus.Sockets(
                events: "\(sockets.directory)/events.sock",
                control: "\(sockets.directory)/control.sock",
                http: "\(sockets.directory)/http.sock",
                connections: connections,
                limit: connectionLimit.withLock { $0 },
                unavailable: unavailable.withLock { unavailable in
                    sockets.http.listen.compactMap { port in
                        unavailable[port].map { .init(address: "\(port)", detail: $0) }
                    }
                }
            )
        }
        let (probes, uplinks, published) = driver.probes
        var status = published.status(
            journal: journalStatus,
            sockets: summary,
            probes: probes,
            waiting: waitingProbes(besides: probes),
            uplinks: uplinks,
            availability: history.entries(at: .now),
            schedule: runner.statistics,
            configuration: reloader.facts,
            hookSetup: hookSetup(),
            hooks: hooks.statuses,
            sinks: sinks.statuses
        )
        addTransfers(to: &status, of: probes)
        return (status, probes)
    }

    /// The current page.
    ///
    /// Takes long, and must not be called on the event loop.
    func page(connections: Int) -> [UInt8] {
        pages.page(of: PageCache.Version(sequence: statusStore.lastSequence, taken: history.taken)) { [self] in
            let status = currentStatus(connections: connections)
            return StatusPage.bytes(
                of: history.page(of: status, driver.summaries, at: .now),
                explaining: { code in FindingCode(rawValue: code).map { ($0.sentence, $0.configuredRemedy) } }
            )
        }
    }

    /// Adds the transfers to the probes that make some.
    private func addTransfers(to status: inout AgentStatus, of records: [ProbeRecord]) {
        let plan = driver.plan
        let points = records.map(\.point).filter { plan.hasTransfers($0.probe) }
        guard !points.isEmpty else { return }
        let now = Timestamp.now
        let last = metricsStore.transfers()
        let wanted = points.map { (published: AgentEvents.ProbePoint($0), point: $0) }
        let days = history.transfers(of: wanted.map(\.published), driver.summaries, at: now)
        var transfers: [AgentEvents.ProbePoint: AgentStatus.TransferStatus] = [:]
        for (published, point) in wanted {
            let newest = last[point].flatMap { figures in
                figures.last.flatMap { last in figures.ended.map { (last, Timestamp(seconds: $0)) } }
            }
            transfers[published] = .init(last: newest, day: days[published] ?? TransferSketches())
        }
        for index in status.probes.indices {
            let probe = status.probes[index]
            let point = AgentEvents.ProbePoint(
                probe: probe.probe,
                interface: probe.interface,
                family: probe.family
            )
            status.probes[index].transfer = transfers[point]
        }
    }

    /// The configured probes that are not checked at present, because there is no path or their interface is missing.
    private func waitingProbes(besides records: [ProbeRecord]) -> [ProbeRule] {
        let made = Set(records.map(\.point.probe))
        return driver.plan.settings.probes.map(\.rule).filter { !made.contains($0.name) }
    }

    /// The status of the journal, which cannot report by itself that it hangs: the bus can, as it no longer waits for it.
    private var journalStatus: AgentStatus.Journal? {
        guard let journal else { return nil }
        var status = AgentStatus.Journal(journal.status())
        if status.code == nil, bus.isRecorderBypassed {
            status.isDegraded = true
            status.code = JournalCondition.Code.stalled.rawValue
            status.detail = "the disk does not answer; events are delivered before they are recorded"
        }
        return status
    }

    func answer(_ request: AgentRequest, from client: AgentClient, reply: @escaping @Sendable (ControlReply) -> Void) {
        let user = client.user ?? .max
        switch request {
        case .check(let probe): reply(check(probe, for: user))
        case .sink(let report): reply(take(report, from: client))
        case .reload:
            guard let delay = reloadRequests.delay(of: user) else { return reloader.reload(reply: reply) }
            reply(
                .failure(
                    code: .tooManyReloads,
                    message: "a user may request \(reloadRequests.burst) reloads at once, and then one every "
                        + "\(Int(1 / reloadRequests.perSecond)) s; try again in \(delay)",
                    retryAfter: delay
                )
            )
        case .hooks: reply(.parameters(JSONWriter.text(of: HooksReply(hooks.statuses))))
        }
    }

    /// Handles the report of a sink; it determines what the journal may discard, so not every member of the group may
    /// send one.
    private func take(_ report: SinkReport, from client: AgentClient) -> ControlReply {
        guard let user = client.user, user == 0 || user == geteuid() else {
            return .failure(
                code: .permissionDenied,
                message: "only root and the user that the agent runs as may report for a sink"
            )
        }
        guard sinks.take(report, from: client.process) else {
            let name = ForeignText.shown(report.status.name, limit: 64)
            return .failure(code: .unknownSink, message: "there is no sink '\(name)' in the configuration")
        }
        let (cost, isMetered) = driver.costOfDefaultPath
        let left = runner.charge(Int(clamping: report.bytes), to: cost)
        let budget = left.map { UInt64(max(0, $0)) }
        return .parameters(JSONWriter.text(of: SinkReportReply(isMetered: isMetered, budget: budget)))
    }

    /// Starts the checks of one probe, or of all, or joins those that are in progress.
    private func check(_ wanted: ForeignText?, for user: UInt32) -> ControlReply {
        if let delay = checkRequests.delay(of: user) {
            return .failure(
                code: .tooManyChecks,
                message: "a user may request \(checkRequests.burst) checks at once, "
                    + "and then \(Int(checkRequests.perSecond)) in each second; try again in \(delay)",
                retryAfter: delay
            )
        }
        let plan = driver.plan
        guard !plan.settings.probes.isEmpty else {
            let remedy =
                reloader.facts == nil
                ? "it was started with '--no-config': start it with '--config' or '--probe'"
                : "add two with: reachagent config init"
            return .failure(code: .noProbeConfigured, message: "this agent has no probe; \(remedy)")
        }
        let name = wanted.flatMap { plan.probe(named: $0) }
        if let wanted, name == nil {
            return .failure(code: .unknownProbe, message: Self.unknownProbe(wanted, plan.settings))
        }
        let checks = driver.requestChecks(of: name)
        guard checks.refused == 0 || checks.started + checks.joined > 0 else {
            return .failure(
                code: .budgetExhausted,
                message: "checks on request have used their quarter of bytes_per_day; those by schedule go on"
            )
        }
        var json = JSONWriter()
        json.object { json in
            json.member("points", checks.started + checks.joined)
            json.member("joined", checks.joined)
            if checks.refused > 0 { json.member("refused", checks.refused) }
            let transfers = name == nil ? plan.settings.probes.filter { $0.probe.transfer != nil }.map(\.name) : []
            if !transfers.isEmpty { json.member("transfers", encoding: transfers) }
        }
        return .parameters(json.bytes)
    }

    /// The error message for a name that no check has: the names that exist, or the setting that makes the check.
    static func unknownProbe(_ wanted: ForeignText, _ settings: Settings) -> String {
        if wanted == ProbeRule.firstHopName {
            return "this agent does not check gateways; set 'first_hop = true' in [connectivity]"
        }
        let names = settings.probes.prefix(maximumNames).map(\.name).joined(separator: ", ")
        let more = settings.probes.count > maximumNames ? ", …" : ""
        return "there is no probe '\(wanted.shown(limit: 64))'; there are \(names)\(more)"
    }

    /// Creates an event outside the history: a random number makes its `id` unique.
    private func event(_ draft: EventDraft) -> Event {
        Event(draft, from: origin, at: .now, number: .random(in: 1 ... .max))
    }
}
