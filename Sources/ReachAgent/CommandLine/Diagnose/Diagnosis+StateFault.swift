internal import AgentEvents
internal import Probes

// The fault that the agent's state names, so that this command and `status` name the same one.

extension Diagnosis {
    /// The fault of the agent's settled state beyond the layers of the kernel.
    struct StateFault: Sendable, Hashable {
        /// The section of the layer at fault, without facts.
        let section: Section
        /// True if it explains the failures of earlier layers too: behind a portal names need not resolve, and the dead
        /// link of the preferred path matters less than the uplink that works.
        let explainsAll: Bool
    }

    /// Returns the fault that the agent's state names; `nil` if it names none that checks have found.
    static func stateFault(_ evidence: DiagnosisEvidence) -> StateFault? {
        guard case .success(let status)? = evidence.agent, status.isSynchronized != false,
            let state = status.reachability.state,
            state.alternative != nil || state.isReachable && state.connectivityReason != nil,
            state.connectivity != .full,
            let advice = status.advice(explaining: { code in
                FindingCode(rawValue: code).map { ($0.sentence, $0.configuredRemedy) }
            })
        else { return nil }
        let isPathDead = state.alternative != nil
        let commands = (isPathDead ? ["ip route show table all default"] : []) + advice.action.steps
        let reason = AgentEvents.Uplink.Reason(code: advice.code, probe: state.connectivityProbe)
        let phase = status.probe(of: reason, over: nil)?.phase(of: advice.code).flatMap(Phase.init)
        let section = Section(
            isPathDead ? .route : ProbeEvidence(evidence).layer(of: advice.code, in: phase),
            .error,
            advice.problem,
            code: advice.code,
            next: commands + remedies(advice.action)
        )
        return StateFault(section: section, explainsAll: isPathDead || state.connectivity == .portal)
    }

    /// The start of a command in a comment, to be copied without it.
    static let optionalCommand = "#   "

    /// Returns the sentences of an action as comments, with a line of its own for each command that changes the machine: of
    /// several one is to be chosen, and pasting all steps runs none of them.
    private static func remedies(_ action: Advice.Action) -> [String] {
        var (lines, sentences): ([String], String) = ([], "")
        func endSentences() {
            // The commands end or separate sentences.
            let words = sentences.split(separator: " ").drop { $0 == "." || $0 == "," }
            if !words.isEmpty { lines.append("# \(words.joined(separator: " "))") }
            sentences = ""
        }
        for part in action.parts {
            switch part {
            case .text(let text), .address(let text): sentences += text
            case .command(let command): sentences += "`\(command)`"
            case .change(let command):
                endSentences()
                lines.append(optionalCommand + command)
            }
        }
        endSentences()
        return lines
    }
}
