internal import AgentEvents
internal import ForeignText
internal import Probes

/// `reachagent trust evaluate --batch`: JSON lines in, JSON lines out.
struct TrustBatch {
    /// The maximum length of a line, in bytes.
    static let maximumLine = 32 << 20

    /// Answers the lines of standard input until it ends.
    func run() async {
        var lines = TrustLineReader(maximumLine: Self.maximumLine)
        while let line = lines.next() {
            switch line {
            case .line(let bytes):
                if bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { continue }
                Terminal.print(await answer(to: bytes))
            case .tooLong: Terminal.print(failure(id: nil, "the line is longer than \(Self.maximumLine) bytes"))
            }
        }
    }

    /// The answer to one line; a line that is no question gets an answer that says so.
    func answer(to line: [UInt8]) async -> [UInt8] {
        var id: TrustQuestion.Identifier?
        let question: TrustQuestion
        do throws(JSONObject.Flaw) {
            let object = try JSONObject(
                line,
                maximumValues: TrustQuestion.maximumValues,
                readsNullAsAbsent: true
            )
            id = try TrustQuestion.identifier(of: object)
            question = try TrustQuestion(object)
        } catch {
            return failure(id: id, "the line is no question in JSON: \(Self.reason(error))")
        }
        do throws(SecurityPolicyError) {
            let verdict = try await question.verdict()
            return Self.text(id: id, verdict.isAccepted, verdict.code, verdict.findings)
        } catch {
            return failure(id: id, error.description)
        }
    }

    private func failure(id: TrustQuestion.Identifier?, _ evidence: String) -> [UInt8] {
        let finding = Probes.Finding(.questionInvalid, subject: "question", evidence: evidence)
        return Self.text(id: id, false, finding.code, [finding])
    }

    private static func text(
        id: TrustQuestion.Identifier?,
        _ isAccepted: Bool,
        _ code: FindingCode?,
        _ findings: [Probes.Finding]
    ) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.name("id")
            switch id {
            case .none: json.null()
            case .text(let text): json.string(text)
            case .number(let number): json.number(number)
            }
            json.member("ok", isAccepted)
            json.name("code")
            if let code { json.string(code.rawValue) } else { json.null() }
            json.name("findings")
            json.array(findings) { json, finding in json.encode(AgentEvents.Finding(finding)) }
        }
        return json.bytes
    }

    private static func reason(_ flaw: JSONObject.Flaw) -> String {
        switch flaw {
        case .syntax: "expected one JSON object"
        case .duplicate(let path):
            "'\(ForeignText.shown(Array(path.joined(separator: [UInt8(ascii: ".")])), limit: 64))' is given twice"
        case .missing(let member): "'\(member)' is missing"
        case .mismatch(let member, let expected): "'\(member)' must be \(expected)"
        }
    }
}
