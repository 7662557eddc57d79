/// A diagnosis as an operator reads it: the first broken layer and what to do next, then every layer with its evidence.
struct DiagnosisText {
    let style: TerminalStyle

    private static let nameWidth = 14
    private static let verdictWidth = 13
    private static let layerWidth = 12

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
            block.add(index == 0 ? "next" : "", step, indent: 2, labelWidth: 6)
        }
        return painted(finding.verdict, width: finding.verdict.title.count + 2, layer, finding.summary + code(finding))
            + block.lines
    }

    /// Wrapped text behind a verdict in its colour and a label.
    private func painted(_ verdict: Diagnosis.Verdict, width: Int, _ label: String, _ text: String) -> [String] {
        var block = TextBlock(columns: style.columns)
        block.add(verdict.title.padded(to: width) + label, text, indent: 0, labelWidth: width + label.count)
        guard let first = block.lines.first else { return [] }
        let word = verdict.title
        return [style.paint(word, colour(of: verdict)) + first.dropFirst(word.count)] + block.lines.dropFirst()
    }

    private func rows(_ facts: [Diagnosis.Fact]) -> [String] {
        var block = TextBlock(columns: style.columns)
        for fact in facts {
            let name = fact.name.count < Self.nameWidth ? fact.name : fact.name + " "
            block.add(name, fact.text, indent: 2, labelWidth: Self.nameWidth)
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
