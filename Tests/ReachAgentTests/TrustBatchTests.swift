import FoundationEssentials
import ProbeTestKit
import Testing

@testable import ReachAgent

/// One JSON line in, one out.
struct TrustBatchTests {
    private struct Answer: Decodable {
        let id: String?
        let ok: Bool
        let code: String?
    }

    private func answer(_ members: [String: String]) async throws -> Answer {
        let line = "{" + members.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
        return try await answer(Array(line.utf8))
    }

    private func answer(_ line: [UInt8]) async throws -> Answer {
        try JSONDecoder().decode(Answer.self, from: Data(await TrustBatch().answer(to: line)))
    }

    private func quoted(_ text: String) -> String {
        "\"" + text.split(separator: "\n").joined(separator: "\\n") + "\\n\""
    }

    @Test func `a question is answered under its own policy`() async throws {
        let chain = try TestAuthority.standard()
        var members = [
            "id": "\"a\"", "leaf": quoted(chain.leaf.pem), "intermediates": "[\(quoted(chain.intermediate.pem))]",
            "roots": "[\(quoted(chain.root.pem))]", "host": "\"host.test\"", "ip": "null",
            "time": "\"2026-06-01T12:00:00Z\"", "max_depth": "null",
        ]
        let good = try await answer(members)
        #expect(good.id == "a" && good.ok && good.code == nil)
        for (name, value, code) in [
            ("host", "\"other.test\"", "tls_hostname"), ("time", "\"2028-01-01T00:00:00+00:00\"", "tls_expired"),
            ("roots", "[]", "tls_untrusted_root"), ("max_depth", "0", "tls_path_length"),
            ("mode", "\"public-key\"", "tls_no_pins"), ("allow_invalid", "true", "tls_name_needs_pins"),
            ("mode", "\"other\"", "invalid_question"), ("time", "\"yesterday\"", "invalid_question"),
        ] {
            let old = members.updateValue(value, forKey: name)
            let bad = try await answer(members)
            #expect(bad.id == "a" && !bad.ok && bad.code == code, "\(name) \(value)")
            members[name] = old
        }
    }

    @Test(arguments: ["", "x", "[]", "{}", "{\"leaf\":5}", "{\"id\":\"a\"", "\u{0}"])
    func `a line that is no question is answered as such`(_ line: String) async throws {
        let bad = try await answer(Array(line.utf8))
        #expect(bad.id == nil && !bad.ok && bad.code == "invalid_question")
    }
}
