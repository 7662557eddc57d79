import Foundation
import Hooks
import NetlinkMonitor
import Probes
import Reachability
import Testing

import enum AgentEvents.EventType

@testable import Configuration
@testable import ReachAgent
@testable import ReachAgentManual

/// The contents of the pages, against the lists in the source.
@Suite struct PageTests {
    /// The tags of a page's lists, each with the line that follows it.
    private static func items(_ page: String) -> [String: String] {
        let lines = page.split(separator: "\n").map(String.init)
        var items: [String: String] = [:]
        for (place, line) in lines.enumerated() where line == ".TP" && place + 2 < lines.count {
            let tag = plain(lines[place + 1])
            let rest = lines[(place + 2)...].prefix { !$0.hasPrefix(".") }.map(plain).joined(separator: " ")
            items[tag] = rest
        }
        return items
    }

    /// A line without roff's marks.
    private static func plain(_ line: String) -> String {
        let marks = [("\\fB", ""), ("\\fI", ""), ("\\fP", ""), ("\\&", ""), ("\\-", "-"), ("\\(aq", "'")]
        return marks.reduce(line) { $0.replacing($1.0, with: $1.1) }
    }

    private static func page(_ name: String) throws -> String { try #require(try Project.pages()[name]) }

    /// A section of a page.
    private static func section(_ title: String, of page: String) throws -> String {
        let rest = try #require(page.components(separatedBy: ".SH \"\(title)\"\n").dropFirst().first)
        return try #require(rest.components(separatedBy: "\n.SH").first)
    }

    @Test func `every command and every option of the program is in its page with its meaning`() throws {
        let tool = try Project.tool()
        let list = Self.plain(try Self.page("reachagent.8"))
        var options = 0
        for (path, command) in tool.command.leaves {
            let name = path.joined(separator: "-")
            #expect(list.contains("\n\(name)(8)\n"), "\(name) is not listed")
            let page = try Self.page("\(name).8")
            let items = Self.items(page)
            for argument in command.arguments ?? [] where !argument.isCommon {
                options += 1
                let tag = argument.names?.first?.text ?? argument.valueName ?? ""
                let item = items.first { item in
                    item.key == tag || [" ", ","].contains { item.key.hasPrefix(tag + $0) }
                }
                let words = try #require(item, "\(name) \(tag)").value.split(separator: " ")
                #expect(words.count > 2, "\(name) \(tag)")
            }
        }
        #expect(options > 80)
    }

    @Test(arguments: [
        0, 64, ExitStatus.finding, ExitStatus.unavailable, ExitStatus.tryAgain, ExitStatus.notPermitted,
        ExitStatus.badConfiguration,
    ])
    func `every exit status is in the page of the program`(status: Int32) throws {
        let page = try Self.page("reachagent.8")
        #expect(Self.items(try Self.section("EXIT STATUS", of: page))["\(status)"]?.isEmpty == false)
    }

    @Test func `every variable of the environment that the sources read is in the page of the program`() throws {
        let page = Self.plain(try Self.page("reachagent.8"))
        let section = try Self.section("ENVIRONMENT", of: page)
        let reading = /(?:environment|variables|variable|getenv|value)[\[\(]"(?<name>[A-Z][A-Z_]+)"/
        // Variables of hooks, of tests and of this generator.
        let others = ["PATH", "USER", "LOGNAME", "SHELL", "SOURCE_DATE_EPOCH"]
        let sources = Project.directory.appending(path: "Sources")
        let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        var names: Set<String> = []
        for case let file as URL in files where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            names.formUnion(text.matches(of: reading).map { String($0.output.name) })
        }
        #expect(names.isSuperset(of: ["REACHAGENT_SOCKET", "NOTIFY_SOCKET", "LISTEN_FDS", "NO_COLOR"]))
        for name in names.subtracting(others) { #expect(section.contains(name), "\(name) is missing") }
    }

    @Test func `every socket of the unit is in the page of the program, as a file and by its name`() throws {
        let file = Project.directory.appending(path: "packaging/systemd/reachagent.socket")
        let unit = try String(contentsOf: file, encoding: .utf8)
        let page = try Self.page("reachagent.8")
        let files = Self.items(try Self.section("FILES", of: page))
        let variables = Self.items(try Self.section("ENVIRONMENT", of: page))
        let passed = try #require(variables["LISTEN_FDS, LISTEN_PID, LISTEN_FDNAMES"])
        let names = unit.matches(of: /ListenStream=\/run\/reachagent\/(?<name>[a-z]+)\.sock/).map(\.output.name)
        #expect(names.count == 3)
        for name in names {
            #expect(files["/run/reachagent/\(name).sock"]?.isEmpty == false, "\(name)")
            #expect(passed.contains(name), "\(name)")
        }
    }

    @Test func `every key that is declared is in its page with its type and its meaning`() throws {
        let items = Self.items(try Self.page("reachagent.toml.5"))
        var keys = 0
        func check(_ list: KeyList) {
            for declaration in list.declarations {
                let facts = declaration.facts
                keys += 1
                let item = items["\(facts.name) = \(facts.kind)"]
                #expect(item?.isEmpty == false, "\(facts.name) is missing")
                if let table = declaration as? Subtable { check(table.keys) }
            }
        }
        for case let section as Subtable in RootKeys.all.declarations { check(section.keys) }
        #expect(keys > 120)
    }

    @Test func `every type of event is in its page with its meaning`() throws {
        let items = Self.items(try Self.page("reachagent-events.7"))
        for type in EventType.allCases {
            #expect(items[type.rawValue] == type.meaning.replacing("`", with: ""), "\(type)")
        }
    }

    @Test func `every code is in the page of events with its meaning`() throws {
        let page = try Self.page("reachagent-events.7")
        let items = Self.items(page)
        for code in FindingCode.allCases {
            #expect(items[code.rawValue] == code.sentence.replacing("`", with: ""), "\(code)")
        }
        let others =
            ReasonCode.allCases.map(\.rawValue) + NetworkChange.Code.allCases.map(\.rawValue)
            + Overrun.Code.allCases.map(\.rawValue) + HookRefusal.Code.allCases.map(\.rawValue)
        for code in others { #expect(items[code]?.isEmpty == false, "\(code) is missing") }
        let words = ChangeCause.Kind.allCases.map(\.rawValue) + Underlay.Evidence.allCases.map(\.rawValue)
        for word in words { #expect(page.contains("\\fB\(word)\\fP"), "\(word) is missing") }
        let outcomes = [
            "succeeded", "exited", "signaled", "timed_out", "refused", "not_started", "stopped", "undelivered",
        ]
        for outcome in outcomes {
            #expect(items[outcome]?.isEmpty == false, "\(outcome) is missing")
        }
    }

    @Test func `every variable of hooks is in the page of the configuration`() throws {
        let items = Self.items(try Self.page("reachagent.toml.5"))
        for name in HookEnvironment.variables.map(\.name) { #expect(items[name]?.isEmpty == false, "\(name)") }
    }
}
