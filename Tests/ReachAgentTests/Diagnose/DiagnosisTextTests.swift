import AgentEvents
import Probes
import Testing

@testable import ReachAgent

/// A diagnosis as text and as JSON.
@Suite struct DiagnosisTextTests {
    @Test func `hostile names neither reach the terminal nor become commands`() {
        var evidence = DiagnosisTests.evidence(DiagnosisTests.kernel(.noCarrier, name: "a;rm\u{1B}[2J"))
        let hostile = [DiagnosisTests.probe("web\n$(id)", .connectRefused, detail: "\u{1B}]0;x\u{7}")]
        evidence.agent = .success(DiagnosisTests.status(hostile, connectivity: .local))
        let diagnosis = Diagnosis(evidence)
        let texts = [DiagnosisText(style: .plain).text(diagnosis), String(decoding: diagnosis.json, as: UTF8.self)]
        for text in texts {
            #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || !($0.value < 0x20 || $0.value == 0x7F) }, "\(text)")
        }
        #expect(
            diagnosis.finding?.next == [#"ip link show dev $'a;rm\x1b[2J'   # no carrier: the cable, the switch port"#]
        )
        #expect(diagnosis.json.split(separator: UInt8(ascii: "\n")).count == 1)
    }

    @Test func `the last changes have an arrow, in ASCII where the locale has no UTF-8`() throws {
        var evidence = DiagnosisTests.evidence()
        var status = DiagnosisTests.status([DiagnosisTests.probe("web", nil)], connectivity: .full)
        let change = #"{"subject":"web","from":"up","to":"down"}"#
        status.recent = [try EventDecoder.decode(AgentStatus.Transition.self, from: Array(change.utf8))]
        evidence.agent = .success(status)
        let diagnosis = Diagnosis(evidence)
        #expect(DiagnosisText(style: .plain).text(diagnosis).contains("web up -> down"))
        let style = TerminalStyle(hasColour: false, hasUnicode: true, columns: 80)
        #expect(DiagnosisText(style: style).text(diagnosis).contains("web up → down"))
        #expect(String(decoding: diagnosis.json, as: UTF8.self).contains("web up → down"))
    }

    @Test func `the last changes of one probe are distinguished by interface and family`() throws {
        let changes = [
            #"{"type":"reachagent.probe.changed","subject":"web","interface":"eth0","family":"ipv4","to":"unknown"}"#,
            #"{"type":"reachagent.probe.changed","subject":"web","interface":"wwan0","to":"unknown"}"#,
            #"{"type":"reachagent.reachability.changed","subject":"default","interface":"eth0","to":"none"}"#,
        ]
        var status = DiagnosisTests.status([DiagnosisTests.probe("web", nil)], connectivity: .full)
        status.recent = try changes.map { try EventDecoder.decode(AgentStatus.Transition.self, from: Array($0.utf8)) }
        var evidence = DiagnosisTests.evidence()
        evidence.agent = .success(status)
        let facts = Diagnosis(evidence).sections.last?.facts.filter { $0.name == "change" }.map(\.text)
        #expect(facts == ["web eth0 IPv4 unknown", "web wwan0 unknown", "default none"])
    }

    @Test func `each command that changes the machine is on a line of its own, in a comment`() throws {
        let status = try EventDecoder.decode(AgentStatus.self, from: Array("{\(StatusScenes.preferredDead)}".utf8))
        var evidence = DiagnosisTests.evidence(DiagnosisTests.kernel(.noCarrier))
        evidence.agent = .success(status)
        let style = TerminalStyle(hasColour: false, hasUnicode: true, columns: 80)
        let lines = DiagnosisText(style: style).headline(Diagnosis(evidence))
        let sysctl =
            "sysctl net/ipv4/conf/eth0/ignore_routes_with_linkdown=1 "
            + "net/ipv6/conf/eth0/ignore_routes_with_linkdown=1"
        for command in ["ip link set eth0 down", sysctl] {
            #expect(lines.contains("        #   \(command)"), "\(lines)")
        }
        #expect(!lines.contains { $0.contains("`") })
    }

    @Test func `no line is longer than the terminal, and the finding is first`() throws {
        var evidence = DiagnosisTests.evidence(DiagnosisTests.kernel(hasRoute: false))
        evidence.versions = [Diagnosis.Fact("kernel", String(repeating: "word ", count: 60))]
        for columns in [80, 120] {
            let style = TerminalStyle(hasColour: false, hasUnicode: true, columns: columns)
            let lines = DiagnosisText(style: style).text(Diagnosis(evidence)).split(separator: "\n")
            for line in lines { #expect(line.count <= columns, "\(line)") }
            #expect(try #require(lines.first).hasPrefix("error  route: no route to the Internet"))
        }
    }
}
