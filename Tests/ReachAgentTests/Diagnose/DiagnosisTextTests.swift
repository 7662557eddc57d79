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
