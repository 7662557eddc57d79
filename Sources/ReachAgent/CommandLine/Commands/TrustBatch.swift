internal import AgentEvents
internal import ForeignText
internal import Glibc
internal import LinuxSupport
internal import Probes

/// `reachagent trust evaluate --batch`: JSON lines in, JSON lines out.
struct TrustBatch {
    /// The maximum length of a line, in bytes.
    static let maximumLine = 32 << 20

    /// Answers the lines of standard input until it ends.
    ///
    /// - Returns: The error if it cannot be read to its end; nil otherwise.
    func run() async -> SystemError? {
        var lines = TrustLineReader(maximumLine: Self.maximumLine)
        do throws(SystemError) {
            while let line = try lines.next() {
                switch line {
                case .line(let bytes):
                    if bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { continue }
                    Terminal.print(await answer(to: bytes))
                case .tooLong: Terminal.print(failure(id: nil, "the line is longer than \(Self.maximumLine) bytes"))
                }
            }
            return nil
        } catch {
            return error
        }
    }

    /// Returns the answer to one line; an invalid line is answered with an error.
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
            return failure(id: id, "the line is not a question in JSON: \(Self.reason(error))")
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

/// Reads lines from standard input, of a bounded length.
private struct TrustLineReader {
    /// The result of a read.
    enum Item {
        case line([UInt8])
        /// A line that exceeded the maximum length, and was skipped.
        case tooLong
    }

    private let maximumLine: Int
    private let descriptor: Int32
    private var buffer: [UInt8] = []
    /// The beginning of the next line.
    private var start = 0
    private var searched = 0
    private var isSkipping = false
    private var isAtEnd = false

    init(maximumLine: Int, descriptor: Int32 = STDIN_FILENO) {
        self.maximumLine = maximumLine
        self.descriptor = descriptor
    }

    /// The next line without its end; nil at the end of the input.
    mutating func next() throws(SystemError) -> Item? {
        while true {
            if let end = buffer[searched...].firstIndex(of: 0x0A) {
                let line = Array(buffer[start..<end])
                start = end + 1
                searched = start
                if isSkipping {
                    isSkipping = false
                    return .tooLong
                }
                return line.count > maximumLine ? .tooLong : .line(line)
            }
            // Once for each read, not for each line: many short lines cost no more than a long one.
            buffer.removeFirst(start)
            start = 0
            searched = buffer.count
            if buffer.count > maximumLine {
                isSkipping = true
                buffer.removeAll(keepingCapacity: false)
                searched = 0
            }
            if isAtEnd {
                guard !buffer.isEmpty || isSkipping else { return nil }
                let item: Item = isSkipping ? .tooLong : .line(buffer)
                buffer = []
                searched = 0
                isSkipping = false
                return item
            }
            try fill()
        }
    }

    private mutating func fill() throws(SystemError) {
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        let count = read(descriptor, &chunk, chunk.count)
        guard count >= 0 else {
            let number = errno
            if number == EINTR { return }
            throw SystemError(errno: number)
        }
        if count == 0 {
            isAtEnd = true
        } else {
            buffer += chunk.prefix(count)
        }
    }
}
