import AgentEvents
import AgentTestKit
import Configuration
import Foundation
import Hooks
import NetlinkMonitor
import Probes
import Reachability
import StateClient
import Testing

@testable import ReachAgent

/// Whole screens of the commands beside `status`, as people see them in the situations that make a difference.
@Suite struct CommandScreenTests {
    /// A screen: its name, and its text for a style.
    struct Screen: Sendable, CustomTestStringConvertible {
        let name: String
        let text: @Sendable (TerminalStyle) throws -> String
        var testDescription: String { name }
    }

    private static let time = Timestamp(microsecondsSince1970: 1_795_244_400_000_000)

    // MARK: watch

    /// The state of a status, as the first line of `watch` has it.
    private static func snapshot(_ members: String) throws -> StreamItem {
        let status = try EventDecoder.decode(AgentStatus.self, from: Array("{\(members)}".utf8))
        let state = status.reachability.state.map { String(decoding: JSONWriter.text(of: $0), as: UTF8.self) }
        let line = AgentLines.snapshot(state ?? AgentLines.state(via: "unknown"))
        return .snapshot(try #require(StreamLine(Array(line.utf8))))
    }

    private static func watch(_ items: [StreamItem], _ style: TerminalStyle) -> String {
        let lines = EventLines(style: style, today: time, width: { style.columns }, local: \.description)
        var text = WatchText(.human(lines, showsPaths: false), socket: "/run/reachagent/control.sock")
        return items.flatMap { text.lines(for: $0) }.map { line in
            switch line {
            case .json(let bytes): String(decoding: bytes, as: UTF8.self)
            case .text(let text): text
            case .notice(let notice): notice
            }
        }.joined(separator: "\n")
    }

    private static let events: [StreamItem] = {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden/Events/events.jsonl")
        let lines = ((try? String(contentsOf: file, encoding: .utf8)) ?? "").split(separator: "\n")
        return lines.compactMap { StreamLine(Array($0.utf8)).map(StreamItem.event) }
    }()

    private static let watches: [Screen] =
        StatusScenes.all.map { name, members in
            Screen(name: "watch.\(name)") { style in watch([try snapshot(members)], style) }
        } + [
            Screen(name: "watch.events") { style in
                watch([try snapshot(StatusScenes.oneUplink)] + events.prefix(6), style)
            }
        ]

    // MARK: run --once, route, interfaces

    private static func machine(_ kernel: NetlinkMonitor.NetworkSnapshot) throws -> ReachabilityMachine {
        let office = Target(name: "office", address: DiagnosisTests.router)
        var machine = ReachabilityMachine(MachineConfiguration(settle: .none, targets: [office]))
        _ = machine.handle(NetworkUpdate(snapshot: kernel, changes: [], observed: .now))
        return machine
    }

    private static let link = Link(
        index: 7,
        name: "wlx00c0caabcdef",
        flags: [.up, .lowerUp],
        operationalState: .up,
        alternativeNames: ["wlp0s20f3", "wlan0"],
        classification: InterfaceClassification(kind: .wifi, evidence: [])
    )

    private static let busy = NetlinkMonitor.NetworkSnapshot(
        links: [link] + DiagnosisTests.kernel(.noCarrier).links.values,
        addresses: ["192.0.2.117", "2001:db8:1234:5678:9abc:def0:1234:5678", "2001:db8::7", "fe80::2c0:caff:feab:cdef"]
            .compactMap { IPAddress($0) }.map { InterfaceAddress(interfaceIndex: 7, address: $0, prefixLength: 24) }
    )

    private static func interfaces(_ kernel: NetlinkMonitor.NetworkSnapshot, _ style: TerminalStyle) -> String {
        InterfacesText(style: style).text(kernel.links.values, kernel)
    }

    private static func route(_ kernel: NetlinkMonitor.NetworkSnapshot, _ style: TerminalStyle) throws -> String {
        let path = try machine(kernel).state.ipv4
        return StateText.lines(path, to: DiagnosisTests.internet, style: style).joined(separator: "\n")
    }

    private static let kernels: [Screen] =
        [
            ("one-uplink", DiagnosisTests.kernel(name: "enx00c0caabcdef")),
            ("link-down", DiagnosisTests.kernel(.noCarrier)),
            ("no-route", DiagnosisTests.kernel(hasRoute: false)),
        ].flatMap { name, kernel in
            [
                Screen(name: "run-once.\(name)") { style in
                    StateText.lines(try machine(kernel), style: style).joined(separator: "\n")
                },
                Screen(name: "route.\(name)") { style in try route(kernel, style) },
                Screen(name: "interfaces.\(name)") { style in interfaces(kernel, style) },
            ]
        } + [Screen(name: "interfaces.many-addresses") { style in interfaces(busy, style) }]

    // MARK: probe, hooks

    private static func report(_ target: String, _ code: FindingCode?, _ evidence: String) -> Probes.CheckReport {
        let findings = code.map { [Probes.Finding($0, subject: target, evidence: evidence)] } ?? []
        let verdict: CheckVerdict = code.map { .failed($0, .firstByte) } ?? .ok
        var report = CheckTextTests.report(CheckTextTests.accepted, verdict: verdict, findings: findings)
        report.target = target
        return report
    }

    private static let long = "https://api.edge-7.example.org/v1/health/of/every/single/part?with=detail"

    private static let checks: [Screen] = [
        Screen(name: "probe.ok") { style in CheckText(style: style).text(report("https://host.test/", nil, "")) },
        Screen(name: "probe.http-500") { style in
            CheckText(style: style).text(report(long, .httpStatus, "500; wanted 200-299"))
        },
        Screen(name: "probe.portal") { style in
            let evidence = PortalEvidence(.portal, code: .portalRedirect, url: "http://login.cafe.example/start")
            return CheckText(style: style, portal: evidence).text(report("http://open.test/generate_204", nil, ""))
        },
    ]

    private static func hooks(_ text: String, _ style: TerminalStyle) throws -> String {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let settings = try ConfigurationFile.load(directory.file("screen.toml", text)).settings
        var files = AgentFiles()
        files.searched = ["/etc/reachagent/reachagent.toml", "/usr/lib/reachagent/reachagent.toml"]
        let hooks = HookSettings(definitions: settings.hooks.definitions)
        let listing = HookListing(hooks, files: files, read: [], user: "alice")
        return HookListText(listing: listing, style: style, event: nil).text
    }

    private static let lists: [Screen] = [
        Screen(name: "hooks.none") { style in try hooks("", style) },
        Screen(name: "hooks.two") { style in
            try hooks(
                """
                [hook.chat]
                url = "https://chat.example.org/hooks/a-long-word-that-is-a-secret-of-its-own"
                on = "reachability.changed"
                when = { to_connectivity = ["none", "local", "portal"], changed = ["connectivity"] }

                [hook.restart-the-vpn]
                command = ["/nonexistent/wg-quick", "up", "wg0"]
                on = ["reachability.changed", "uplink.changed"]
                """,
                style
            )
        },
    ]

    static let screens = watches + kernels + checks + lists

    // MARK: Tests

    private static func style(_ columns: Int, hasColour: Bool = false) -> TerminalStyle {
        TerminalStyle(hasColour: hasColour, hasUnicode: true, columns: columns)
    }

    /// `REACHAGENT_WRITE_GOLDEN=1 swift test --filter CommandScreenTests` writes the files anew; read them as a person would.
    @Test(arguments: screens, [80, 120])
    func `a screen is that of its file, with and without colours`(_ screen: Screen, _ columns: Int) throws {
        let text = try screen.text(Self.style(columns)) + "\n"
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Golden/screens/\(screen.name).\(columns).expected")
        if ProcessInfo.processInfo.environment["REACHAGENT_WRITE_GOLDEN"] != nil {
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == text)
        let coloured = try screen.text(Self.style(columns, hasColour: true)) + "\n"
        #expect(coloured.replacing(/\u{1B}\[\d+m/, with: "") == text)
    }

    @Test(arguments: screens, [40, 60, 80, 120])
    func `no line is longer than the terminal, except for a word that has no room in any`(
        _ screen: Screen,
        _ columns: Int
    )
        throws
    {
        let lines = try screen.text(Self.style(columns)).split(separator: "\n").map(String.init)
        let long = lines.filter { line in
            line.displayWidth > columns && line.split(separator: " ").allSatisfy { $0.count < columns - 13 }
        }
        // A waterfall needs its bars, and the certificate's own text is no narrower.
        #expect(long.isEmpty || columns < 80 && screen.name.hasPrefix("probe."), "\(long)")
    }
}
