internal import AgentEvents
internal import EventJournal
internal import Hooks
internal import NetlinkMonitor
internal import Probes
internal import Reachability

/// A code with its meanings and remedies.
struct Explanation {
    /// A meaning and its remedy, each a sentence.
    typealias Meaning = (meaning: String, remedy: String)

    /// Every type of code that the agent or a command shows.
    ///
    /// A code has the same meaning in each type of a group, and the first one explains it best.
    private static let vocabularies: [[any ExplainedCode.Type]] = [
        [ReasonCode.self, FindingCode.self, NetworkChange.Code.self, Reachability.ChangeCause.Code.self],
        [SinkCode.self],
        [HookRefusal.Code.self, HookOutcome.self],
        [JournalCondition.Code.self, Overrun.Code.self],
        [ProblemCode.self, Reachability.Connectivity.self, RequestCode.self],
        [OnlineCondition.Failure.Code.self],
    ]

    /// The codes that have an explanation.
    static let codes = Set(vocabularies.joined().flatMap { $0.words }).sorted()

    let code: String
    let meanings: [Meaning]

    /// The explanation of a code, which may be in brackets; `nil` for an unknown code.
    init?(_ text: String) {
        let code = text.hasPrefix("[") && text.hasSuffix("]") ? String(text.dropFirst().dropLast()) : text
        self.code = code
        meanings = Self.vocabularies.compactMap { group in group.lazy.compactMap { $0.explanation(of: code) }.first }
        if meanings.isEmpty { return nil }
    }

    /// The lines for a terminal.
    func text(style: TerminalStyle) -> String {
        var block = TextBlock(columns: style.columns)
        block.add(style.paint(code, .bold))
        for meaning in meanings {
            block.add("", meaning.meaning, indent: 2, labelWidth: 0)
            block.add("do", meaning.remedy, indent: 2, labelWidth: 6)
        }
        return block.text
    }
}

/// A type of codes that `reachagent explain` explains; the switch of each conformance has no default.
protocol ExplainedCode: RawRepresentable<String>, CaseIterable, Sendable {
    var explanation: Explanation.Meaning { get }
}

extension ExplainedCode {
    /// Every code of the type.
    static var words: [String] { allCases.map(\.rawValue) }

    /// Returns the explanation of a code; `nil` for a code of another type.
    static func explanation(of code: String) -> Explanation.Meaning? { Self(rawValue: code)?.explanation }
}
