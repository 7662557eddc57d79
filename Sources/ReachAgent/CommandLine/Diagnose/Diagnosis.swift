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
        let next: [String]
        let facts: [Fact]

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

    /// The moment at which the evidence was complete.
    let time: Timestamp
    /// The versions of the programs and of the kernel.
    let versions: [Fact]
    /// One section for each layer, in their order.
    let sections: [Section]

    /// The section to read first: the first broken layer, else the first with a warning.
    var finding: Section? { sections.first { $0.verdict == .error } ?? sections.first { $0.verdict == .warning } }

    /// The verdict on the whole machine; without an answer of the kernel nothing was checked.
    var verdict: Verdict {
        finding?.verdict ?? (sections.first { $0.layer == .route }?.verdict == .notChecked ? .notChecked : .ok)
    }
}

extension Diagnosis {
    /// Derives the diagnosis from the evidence.
    init(_ evidence: DiagnosisEvidence) {
        time = evidence.time
        versions = evidence.versions
        sections =
            Self.kernelSections(evidence) + [Self.resolver(evidence), Self.clock(evidence)]
            + Self.probeSections(evidence) + [Self.agent(evidence)]
    }
}
