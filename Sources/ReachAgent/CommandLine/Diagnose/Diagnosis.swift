internal import AgentEvents
internal import ForeignText

/// The evidence on this machine's connectivity, layer by layer, with a verdict on each.
struct Diagnosis: Sendable {
    /// A layer; a broken one explains the failures of those after it.
    enum Layer: String, Sendable, Hashable, CaseIterable {
        case link, address, route
        case nextHop = "next_hop"
        case resolver, clock, connection, tls, response, agent

        /// The name for people.
        var title: String {
            switch self {
            case .nextHop: "next hop"
            case .tls: "TLS"
            default: rawValue
            }
        }
    }

    /// The state of a layer.
    enum Verdict: String, Sendable, Hashable, CaseIterable {
        case ok, warning, error
        case notChecked = "not_checked"

        /// The word for people.
        var title: String { self == .notChecked ? "not checked" : rawValue }
    }

    /// A piece of evidence; its text is escaped.
    struct Fact: Sendable, Hashable {
        /// The maximum size of a text, in bytes.
        private static let maximumBytes = 600

        let name: String
        let text: String

        init(_ name: String, _ text: String) {
            self.name = ForeignText.shown(name, limit: 64)
            self.text = ForeignText.shown(text, limit: Self.maximumBytes)
        }
    }

    /// A layer with its evidence; all text is escaped.
    struct Section: Sendable, Hashable {
        /// The maximum number of facts.
        private static let maximumFacts = 48

        let layer: Layer
        let verdict: Verdict
        let code: String?
        let summary: String
        fileprivate(set) var next: [String]
        fileprivate(set) var facts: [Fact]

        init(
            _ layer: Layer,
            _ verdict: Verdict,
            _ summary: String,
            code: String? = nil,
            next: [String] = [],
            facts: [Fact] = []
        ) {
            self.layer = layer
            self.verdict = verdict
            self.code = code.map { ForeignText.shown($0, limit: 64) }
            self.summary = ForeignText.shown(summary, limit: 400)
            self.next = next.map { ForeignText.shown($0, limit: 400) }
            let omitted = facts.count - Self.maximumFacts
            self.facts =
                facts.prefix(Self.maximumFacts) + (omitted > 0 ? [Fact("", "and \(omitted) more, not shown")] : [])
        }
    }

    /// The time at which the evidence was complete.
    let time: Timestamp
    /// The versions of the programs and of the kernel.
    let versions: [Fact]
    /// One section for each layer, in their order.
    let sections: [Section]

    /// The section to read first: the first that could not be read for want of descriptors, else the first broken layer,
    /// else the connection's if a requested check has no result, else the first layer of the kernel if that was not read,
    /// else the agent's if the files with its settings have errors, else the first with a warning, of which the clock's is
    /// the last.
    let finding: Section?

    /// The verdict on the whole machine; not checked if the kernel did not answer.
    var verdict: Verdict {
        finding?.verdict ?? (sections.first { $0.layer == .route }?.verdict == .notChecked ? .notChecked : .ok)
    }
}

extension Diagnosis {
    /// Derives the diagnosis from the evidence.
    init(_ evidence: DiagnosisEvidence) {
        time = evidence.time
        versions = evidence.versions
        var sections =
            Self.kernelSections(evidence) + [Self.resolver(evidence), Self.clock(evidence)]
            + Self.probeSections(evidence) + [Self.agent(evidence)]
        var root: Section?
        // Without a path to a name server, the kernel's answer explains what the state says of names.
        if let fault = Self.stateFault(evidence),
            fault.section.layer != .resolver || !Self.lacksServerPaths(evidence),
            let index = sections.firstIndex(where: { $0.layer == fault.section.layer })
        {
            let own = sections[index]
            sections[index] = fault.section
            sections[index].facts = own.facts
            // A lookup that failed here too has commands with the name and the name server.
            if own.layer == .resolver, evidence.lookups.contains(where: { $0.failure != nil }) {
                sections[index].next = own.next + fault.section.next.filter { $0.hasPrefix("#") }
            }
            if fault.explainsAll { root = sections[index] }
        }
        // The command's own connections and lookups fail for the same reason, which says nothing about their layers.
        if root == nil, Self.lacksDescriptors(evidence) { root = sections.first }
        self.sections = sections
        // Without the kernel's view, or the settings, not every layer is checked, which comes before the other warnings.
        var unread: Section?
        switch (evidence.kernel, evidence.configuration) {
        case (.success?, .rejected?): if evidence.agentOfLostSettings != nil { unread = sections.last }
        case (.success?, _): break
        default: unread = sections.first { $0.verdict == .notChecked }
        }
        let warnings = sections.filter { $0.verdict == .warning }
        finding =
            root ?? sections.first { $0.verdict == .error } ?? Self.unfinished(sections, evidence) ?? unread
            // That no time server is known is permanent on many machines, and explains none of the other warnings.
            ?? warnings.first { $0.layer != .clock } ?? warnings.first
    }
}

/// A diagnosis as an operator reads it: the first broken layer and what to do next, then every layer with its evidence.
struct DiagnosisText {
    let style: TerminalStyle

    private static let nameWidth = 14
    private static let verdictWidth = 13
    private static let layerWidth = 12
    private static let stepIndent = 8

    /// The whole page.
    func text(_ diagnosis: Diagnosis) -> String {
        var lines = headline(diagnosis) + [""]
        for section in diagnosis.sections {
            let layer = section.layer.title.padded(to: Self.layerWidth)
            lines += painted(section.verdict, width: Self.verdictWidth, layer, section.summary + code(section))
            lines += rows(section.facts)
        }
        return (lines + [""] + rows(diagnosis.versions)).joined(separator: "\n")
    }

    /// The first broken layer, and what to do next.
    func headline(_ diagnosis: Diagnosis) -> [String] {
        guard let finding = diagnosis.finding else {
            let isOK = diagnosis.verdict == .ok
            let words = isOK ? "no layer is broken, as far as it was checked" : "the kernel's view could not be read"
            return painted(diagnosis.verdict, width: diagnosis.verdict.title.count + 2, "", words)
        }
        let layer = "\(finding.layer.title): "
        var block = TextBlock(columns: style.columns)
        for (index, step) in finding.next.enumerated() {
            for (row, line) in lines(of: step).enumerated() {
                block.add("  " + (index + row == 0 ? "next" : "").padded(to: Self.stepIndent - 2) + line)
            }
        }
        return painted(finding.verdict, width: finding.verdict.title.count + 2, layer, finding.summary + code(finding))
            + block.lines
    }

    /// The lines of a step to paste: a command stays on its line, also in a comment, and each line of a comment is one.
    private func lines(of step: String) -> [String] {
        guard step.hasPrefix("# "), !step.hasPrefix(Diagnosis.optionalCommand) else { return [step] }
        var block = TextBlock(columns: max(20, style.columns - Self.stepIndent - 2))
        block.add(String(step.dropFirst(2)), hanging: 0)
        return block.lines.map { "# " + $0 }
    }

    /// Wrapped text after a coloured verdict and a label.
    private func painted(_ verdict: Diagnosis.Verdict, width: Int, _ label: String, _ text: String) -> [String] {
        var block = TextBlock(columns: style.columns)
        let start = verdict.title.padded(to: width) + label
        block.add(start, style.spelled(text), indent: 0, labelWidth: width + label.count)
        guard let first = block.lines.first else { return [] }
        let word = verdict.title
        return [style.paint(word, colour(of: verdict)) + first.dropFirst(word.count)] + block.lines.dropFirst()
    }

    private func rows(_ facts: [Diagnosis.Fact]) -> [String] {
        var block = TextBlock(columns: style.columns)
        for fact in facts {
            let name = fact.name.count < Self.nameWidth ? fact.name : fact.name + " "
            block.add(name, style.spelled(fact.text), indent: 2, labelWidth: Self.nameWidth)
        }
        return block.lines
    }

    private func code(_ section: Diagnosis.Section) -> String { section.code.map { " [\($0)]" } ?? "" }

    private func colour(of verdict: Diagnosis.Verdict) -> TerminalStyle.Colour {
        switch verdict {
        case .ok: .green
        case .warning: .yellow
        case .error: .red
        case .notChecked: .dim
        }
    }
}

extension Diagnosis {
    /// The version of the JSON format below.
    private static let schemaVersion = 1

    /// One JSON object on one line.
    var json: [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("diagnosis", Self.schemaVersion)
            json.member("time", time)
            json.member("verdict", verdict.rawValue)
            json.member("layer", ifPresent: finding?.layer.rawValue)
            json.member("code", ifPresent: finding?.code)
            json.member("summary", ifPresent: finding?.summary)
            json.name("next")
            json.array(finding?.next ?? []) { $0.string($1) }
            json.name("sections")
            json.array(sections) { json, section in section.write(to: &json) }
            json.name("versions")
            json.array(versions) { json, fact in fact.write(to: &json) }
        }
        return json.bytes
    }
}

extension Diagnosis.Section {
    fileprivate func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("layer", layer.rawValue)
            json.member("verdict", verdict.rawValue)
            json.member("code", ifPresent: code)
            json.member("summary", summary)
            json.name("next")
            json.array(next) { $0.string($1) }
            json.name("facts")
            json.array(facts) { json, fact in fact.write(to: &json) }
        }
    }
}

extension Diagnosis.Fact {
    fileprivate func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("name", name)
            json.member("text", text)
        }
    }
}
