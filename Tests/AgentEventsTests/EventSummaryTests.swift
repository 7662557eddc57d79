import AgentTestKit
import Testing

@testable import AgentEvents

/// The headlines of changes for people: nothing that is not certain.
@Suite struct EventSummaryTests {
    /// A state as the agent publishes it: the path of each family, which has a reason if it is not usable.
    private static func state(
        _ ipv4: Path,
        ipv6: Path = Path(via: .none, reason: "no_route"),
        _ connectivity: Connectivity? = nil,
        alternative: String? = nil,
        preferred: String = "wlan0"
    ) -> ReachabilityState {
        let overall = ipv4.via.isReachable || !ipv6.via.isReachable ? ipv4 : ipv6
        return ReachabilityState(
            via: overall.via,
            afStatus: 0,
            connectivity: connectivity ?? (overall.via.isReachable ? .unknown : Connectivity.none),
            reason: overall.reason,
            alternative: alternative.map { name in
                .init(code: "preferred_path_dead", preferred: preferred, interface: name)
            },
            path: .init(overall, ipv4: ipv4, ipv6: ipv6)
        )
    }

    private static let wlan0 = Path(via: .wifi, interface: "wlan0")
    private static let wwan0 = Path(via: .wwan, interface: "wwan0")
    private static let noCarrier = Path(via: .none, reason: "link_down", interface: "wlan0")

    private static func tunnel(over name: String, isDown: Bool = false) -> Path {
        Path(
            via: isDown ? .none : .wifi,
            reason: isDown ? "underlay_down" : nil,
            interface: "wg0",
            underlay: .init(interface: name, kind: "wifi", evidence: "remote_route")
        )
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let from: ReachabilityState
        let to: ReachabilityState
        var cause = ChangeCause(kind: "probe", code: "recovered")
        let headline: String

        init(
            _ name: String,
            from: ReachabilityState,
            to: ReachabilityState,
            cause: (kind: String, code: String)? = nil,
            headline: String
        ) {
            testDescription = name
            self.from = from
            self.to = to
            if let cause { self.cause = ChangeCause(kind: cause.kind, code: cause.code) }
            self.headline = headline
        }
    }

    static let rows = [
        Row(
            "an alternative appears",
            from: state(wlan0, .full),
            to: state(wlan0, .local, alternative: "wwan0"),
            headline: "full → local over wifi wlan0, wwan0 works (preferred_path_dead)"
        ),
        Row(
            "an alternative appears while all else stays",
            from: state(wlan0, .local),
            to: state(wlan0, .local, alternative: "wwan0"),
            headline: "wwan0 works (preferred_path_dead)"
        ),
        Row(
            "everything answers again",
            from: state(wlan0, .local, alternative: "wwan0"),
            to: state(wlan0, .full),
            headline: "local → full over wifi wlan0, the preferred path works again"
        ),
        Row(
            "something answers again",
            from: state(wlan0, .local, alternative: "wwan0"),
            to: state(wlan0, .partial),
            headline: "local → partial over wifi wlan0, the preferred path works again"
        ),
        Row(
            "the carrier is back, and everything answers",
            from: state(noCarrier, alternative: "wwan0"),
            to: state(wlan0, .full),
            cause: ("link", "link_up"),
            headline: "none → wifi wlan0 IPv4, full, the preferred path works again [link_up]"
        ),
        Row(
            "the carrier is back, without a verdict",
            from: state(noCarrier, alternative: "wwan0"),
            to: state(wlan0),
            cause: ("link", "link_up"),
            headline: "none → wifi wlan0 IPv4 [link_up]"
        ),
        Row(
            "the carrier is back, and nothing answers",
            from: state(noCarrier, alternative: "wwan0"),
            to: state(wlan0, .local),
            cause: ("link", "link_up"),
            headline: "none → wifi wlan0 IPv4, local [link_up]"
        ),
        Row(
            "the path is dead, and the standby is lost",
            from: state(noCarrier, alternative: "wwan0"),
            to: state(noCarrier),
            cause: ("link", "link_down"),
            headline: "wwan0 is no longer an alternative [link_down]"
        ),
        Row(
            "nothing answers, and the standby is lost",
            from: state(wlan0, .local, alternative: "wwan0"),
            to: state(wlan0, .local),
            cause: ("probe", "connect_timeout"),
            headline: "wwan0 is no longer an alternative [connect_timeout]"
        ),
        Row(
            "everything is lost",
            from: state(wlan0, .local, alternative: "wwan0"),
            to: state(noCarrier),
            cause: ("link", "link_down"),
            headline: "wifi wlan0 → none (link_down), wwan0 is no longer an alternative"
        ),
        Row(
            "the verdict is lost",
            from: state(wlan0, .local, alternative: "wwan0"),
            to: state(wlan0, .unknown),
            headline: "local → unknown over wifi wlan0, wwan0 is no longer an alternative"
        ),
        Row(
            "the other uplink is preferred now",
            from: state(noCarrier, alternative: "wwan0"),
            to: state(wwan0, .full),
            cause: ("route", "route_removed"),
            headline: "none → wwan wwan0 IPv4, full [route_removed]"
        ),
        Row(
            "IPv4 is dead, and IPv6 answers over another uplink",
            from: state(wlan0, ipv6: wwan0, .local, alternative: "wwan0"),
            to: state(wlan0, ipv6: wwan0, .partial),
            headline: "local → partial over wifi wlan0 (IPv4), wwan wwan0 (IPv6), wwan0 is no longer an alternative"
        ),
        Row(
            "a tunnel works again",
            from: state(tunnel(over: "wlan0", isDown: true), alternative: "wwan0"),
            to: state(tunnel(over: "wlan0"), .full),
            cause: ("link", "link_up"),
            headline: "none → wifi wg0 over wlan0 IPv4, full, the preferred path works again [link_up]"
        ),
        Row(
            "a tunnel is carried by the other uplink now",
            from: state(tunnel(over: "wlan0", isDown: true), alternative: "wwan0"),
            to: state(tunnel(over: "wwan0"), .full),
            cause: ("route", "route_removed"),
            headline: "none → wifi wg0 over wwan0 IPv4, full [route_removed]"
        ),
        Row(
            "the tunnel is gone, and its underlay used directly",
            from: state(tunnel(over: "wlan0"), .local, alternative: "wwan0"),
            to: state(wlan0, .full),
            cause: ("route", "route_removed"),
            headline: "wifi wg0 over wlan0 → wifi wlan0 IPv4, local → full [route_removed]"
        ),
    ]

    @Test(
        "a change of the alternative says that the preferred path works again only if that is certain",
        arguments: rows
    )
    func alternatives(_ row: Row) {
        let change = StateChange(
            from: row.from,
            to: row.to,
            cause: row.cause,
            observed: Timestamp(microsecondsSince1970: 0),
            settledMilliseconds: 1000
        )
        #expect(EventSummary(change, of: "reachability").headline == row.headline)
    }

    private static let eth0 = Path(via: .wired, interface: "eth0")
    private static let usb0 = Path(via: .wwan, interface: "usb0")

    static let splits = [
        Row(
            "IPv4 moves to another interface",
            from: state(eth0, ipv6: eth0, .full),
            to: state(usb0, ipv6: eth0, .full),
            headline: "wired eth0 → wwan usb0 (IPv4), wired eth0 (IPv6)"
        ),
        Row(
            "IPv6 moves to another interface",
            from: state(eth0, ipv6: eth0, .full),
            to: state(eth0, ipv6: usb0, .full),
            headline: "wired eth0 → wired eth0 (IPv4), wwan usb0 (IPv6)"
        ),
        Row(
            "IPv4 moves back",
            from: state(usb0, ipv6: eth0, .full),
            to: state(eth0, ipv6: eth0, .full),
            headline: "wwan usb0 (IPv4), wired eth0 (IPv6) → wired eth0 IPv4+IPv6"
        ),
        Row(
            "IPv6 is lost",
            from: state(usb0, ipv6: eth0, .full),
            to: state(usb0, .full),
            headline: "wwan usb0 (IPv4), wired eth0 (IPv6) → wwan usb0 IPv4"
        ),
        Row(
            "both are lost",
            from: state(usb0, ipv6: eth0, .full),
            to: state(noCarrier),
            cause: ("link", "link_down"),
            headline: "wwan usb0 (IPv4), wired eth0 (IPv6) → none (link_down wlan0)"
        ),
        Row(
            "nothing answers any more",
            from: state(usb0, ipv6: eth0, .full),
            to: state(usb0, ipv6: eth0, .local),
            headline: "full → local over wwan usb0 (IPv4), wired eth0 (IPv6)"
        ),
    ]

    @Test("a change names the interface of each family where they differ", arguments: splits)
    func families(_ row: Row) {
        let change = StateChange(
            from: row.from,
            to: row.to,
            cause: row.cause,
            observed: Timestamp(microsecondsSince1970: 0)
        )
        #expect(EventSummary(change, of: "reachability").headline == row.headline)
    }

    @Test(
        "a state names the interface of each family where they differ",
        arguments: [
            (
                state(usb0, ipv6: eth0, .full), "FULL over wwan usb0 (IPv4), wired eth0 (IPv6)",
                "wwan usb0 (IPv4), wired eth0 (IPv6), full"
            ),
            (state(eth0, ipv6: eth0, .full), "FULL over wired eth0 (IPv4, IPv6)", "wired eth0 IPv4+IPv6, full"),
            (state(eth0, .full), "FULL over wired eth0 (IPv4)", "wired eth0 IPv4, full"),
            (state(noCarrier, ipv6: eth0, .partial), "PARTIAL over wired eth0 (IPv6)", "wired eth0 IPv6, partial"),
        ]
    )
    func families(of state: ReachabilityState, answer: String, summary: String) {
        #expect(ReachabilityState.answer(state) == answer)
        #expect(state.summary == summary)
    }

    @Test func `the verdict on each family stands beside its interface`() {
        var state = Self.state(Self.usb0, ipv6: Self.eth0, .partial)
        state.connectivityByFamily = .init(ipv4: .full, ipv6: .local)
        #expect(
            ReachabilityState.answer(state) == "PARTIAL over wwan usb0 (IPv4 full), wired eth0 (IPv6 local)"
        )
    }

    @Test(
        "only a journal that cannot be written is said to be so, and skipped numbers are not called missing",
        arguments: [
            ("journal_write_failed", true, "the journal cannot be written [journal_write_failed]"),
            ("journal_sync_failed", true, "the journal is not flushed to the disk [journal_sync_failed]"),
            ("journal_stalled", true, "the journal waits for its disk [journal_stalled]"),
            (
                "journal_resumed", false,
                "the journal is written again [journal_resumed]; events 5 to 9 are missing from it"
            ),
            (
                "journal_deleted", false,
                "the journal was changed from outside [journal_deleted]; events 5 to 9 are missing from it"
            ),
            (
                "journal_lease_found", false,
                "the journal skips numbers that may have been used [journal_lease_found]; the numbers 5 to 9 are skipped"
            ),
        ]
    )
    func journal(code: String, isDegraded: Bool, summary: String) {
        var change = JournalDegraded(isDegraded: isDegraded, code: code)
        if !isDegraded { (change.missingFirstSequence, change.missingLastSequence) = (5, 9) }
        #expect(change.summary == summary)
    }

    /// An event in which a text is of combining marks.
    private static func event(_ member: String, bytes: Int) throws -> AgentEvent {
        let line =
            #"{"id":"x-1","source":"/reachagent/h","type":"reachagent.target.changed","time":"1970-01-01T00:00:00Z"}"#
        var event = try #require(AgentEvent(line: Array(line.utf8)))
        var change = StateChange(
            from: state(wlan0, .full),
            to: state(wlan0, .portal),
            cause: ChangeCause(kind: "probe", code: "portal_redirect"),
            observed: Timestamp(microsecondsSince1970: 0)
        )
        let marks = String(repeating: "\u{315}\u{300}", count: bytes / 4)
        switch member {
        case "code": change.cause.code = marks
        case "portal": (change.from.portalURL, change.to.portalURL) = ("http://login.example/", marks)
        case "subject": event.subject = marks
        default: event.type = marks
        }
        event.content = .targetChanged(change)
        return event
    }

    @Test(arguments: ["code", "portal", "subject", "type"])
    func `a hostile text of twice the length costs at most two and a half times as much`(member: String) throws {
        let events = try [8 << 10, 16 << 10].map { try Self.event(member, bytes: $0) }
        let growth = CostGrowth.measure(events.count, noise: 0.0001) { index in
            CostGrowth.seconds { _ = EventSummary(events[index]) }
        }
        #expect(growth.isLinear, "\(growth)")
        #expect(events.allSatisfy { EventSummary($0) == nil } == (member == "code"))
    }

    @Test func `the states after missing events are those that matter, as many as can be read`() throws {
        let path = Path(via: .wifi, interface: "wlan0", kind: "wifi")
        let state = ReachabilityState(via: .wifi, afStatus: 2, connectivity: .partial, path: .init(path, ipv4: path))
        func uplink(_ number: UInt32) -> Uplink {
            let name = "wlan\(number)"
            return Uplink(
                interface: name,
                interfaceIndex: number,
                kind: "wifi",
                connectivity: .full,
                isUsed: number == 0
            )
        }
        func probe(_ name: String, _ verdict: ProbeVerdict, over interface: String? = nil)
            -> NetworkSnapshot.ProbeVerdict
        {
            NetworkSnapshot.ProbeVerdict(
                point: ProbePoint(probe: name, interface: interface),
                verdict: verdict,
                isStale: false
            )
        }
        let down = ProbeVerdict(verdict: "down", code: "timeout")
        var change = JournalDegraded(
            isDegraded: false,
            code: "journal_resumed",
            missingFirstSequence: 5,
            missingLastSequence: 9,
            settled: SettledStates(
                state: state,
                uplinks: [uplink(0), uplink(1)],
                probes: [probe("web", down, over: "wlan0"), probe("dns", ProbeVerdict(verdict: "up"))]
            )
        )
        let states = "now wifi wlan0 IPv4, partial; uplink wlan0: wifi, used, full; uplink wlan1: wifi, standby, full"
        #expect(
            change.summary == "the journal is written again [journal_resumed]; events 5 to 9 are missing from it; "
                + "\(states); probe web: wlan0: down (timeout)"
        )
        change.settled?.uplinks = (0..<20).map(uplink)
        change.settled?.probes = (0..<20).map { probe("web\($0)", down) }
        let parts = change.summary.split(separator: "; ")
        #expect(parts.count == 2 + 1 + 8 + 8 + 1)
        #expect(parts.last == "and 24 more")
    }
}
