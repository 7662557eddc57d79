import AgentTestKit
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

    @Test func `a request is answered under its own policy`() async throws {
        let chain = try TestAuthority.standard()
        var members = [
            "id": "\"a\"", "leaf": quoted(chain.leaf.pem), "intermediates": "[\(quoted(chain.intermediate.pem))]",
            "roots": "[\(quoted(chain.root.pem))]", "host": "\"host.test\"", "ip": "null",
            "time": "\"2026-06-01T12:00:00Z\"", "max_depth": "null",
        ]
        let good = try await answer(members)
        #expect(good.id == "a" && good.ok && good.code == nil)
        for (name, value, code) in [
            ("host", "\"other.test\"", "tls_hostname"), ("host", "\"b\u{FC}cher.test\"", "invalid_question"),
            ("time", "\"2028-01-01T00:00:00+00:00\"", "tls_expired"),
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

    @Test(
        arguments: [
            ("::ffff:192.0.2.1", nil), ("192.0.2.1", nil), ("::ffff:192.0.2.2", "tls_hostname"),
        ] as [(String, String?)]
    )
    func `an IPv4-mapped address is the IPv4 address, as in a probe`(_ address: String, _ code: String?) async throws {
        let chain = try TestAuthority.standard()
        let leaf = try chain.intermediate.issue(.server(addresses: ["192.0.2.1"]))
        let answer = try await answer([
            "leaf": quoted(leaf.pem), "intermediates": "[\(quoted(chain.intermediate.pem))]",
            "roots": "[\(quoted(chain.root.pem))]", "ip": "\"\(address)\"", "time": "\"2026-06-01T12:00:00Z\"",
        ])
        #expect(answer.ok == (code == nil) && answer.code == code)
        let directory = try TemporaryDirectory()
        let command = try await FinishedCommand.run([
            "trust", "evaluate", try directory.file("leaf.pem", (leaf.pem + chain.intermediate.pem).utf8), "--roots",
            try directory.file("root.pem", chain.root.pem.utf8), "--ip", address, "--at", "2026-06-01T12:00:00Z",
        ])
        #expect(command.status == (code == nil ? 0 : 1), "\(command.output)\(command.error)")
    }

    @Test(arguments: ["", "x", "[]", "{}", "{\"leaf\":5}", "{\"id\":\"a\"", "\u{0}"])
    func `a line that is not a request is answered with an error`(_ line: String) async throws {
        let bad = try await answer(Array(line.utf8))
        #expect(bad.id == nil && !bad.ok && bad.code == "invalid_question")
    }

    /// A question with `#` in the place of a value that the reader ignores.
    private static let frame = #"{"id":"a","leaf":"","more":#}"#

    /// The kinds of document that are no JSON (RFC 8259), each in a few forms.
    private static let invalid: [(kind: String, values: [String])] = [
        (
            "a number",
            [
                "01", "-01", "00", "+1", "1.", ".5", "-.5", "1.e2", "1e", "1e+", "1eE2", "0x1F", "1_000", "1 000",
                "--1", "-",
                "NaN", "-NaN", "Infinity", "-Infinity", "Inf", "1.5f", "٣",
            ]
        ),
        ("a word", ["tru", "True", "TRUE", "nul", "nulll", "undefined", "yes", "truefalse", "None"]),
        (
            "a string",
            [
                "'a'", "\"a", "a\"", "\"\\x41\"", "\"\\u12\"", "\"\\u00zz\"", "\"\\u+123\"", "\"\\\"", "\"\\a\"",
                "\"\t\"",
                "\"\u{0}\"", "\"\u{1F}\"", "“a”", "\\u0022a\"", "\"\\ud800\\\"", "\"a\"\"b\"",
            ]
        ),
        (
            "an array",
            [
                "[", "]", "[1,]", "[,1]", "[1,,2]", "[1 2]", "[1:2]", "[1}", "[1", "[1]]", "[\"a\"", "[,]", "(1)",
                "[1;2]",
            ]
        ),
        (
            "an object",
            [
                "{", "}", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, #"{,"a":1}"#, #"{"a":1 "b":2}"#, #"{"a" 1}"#,
                #"{"a"::1}"#,
                #"{"a":1,,"b":2}"#, "{a:1}", "{1:1}", "{'a':1}", #"{"a":1]"#, #"{"a":1"#, #"{"a":1}}"#, "{null:1}",
                #"{"a","b"}"#,
            ]
        ),
        ("a comment", ["1 // x", "1 /* x */", "/**/1", "# 1", "1 #", "<!-- -->1"]),
        ("space", ["1\u{A0}", "\u{A0}1", "1\u{2028}", "\u{FEFF}1", "1\u{B}", "1\u{C}", "\u{3000}1", "1\u{0}"]),
        ("nothing", ["", " ", ",", ":", "1,", "1 1"]),
        (
            "depth",
            [
                String(repeating: "[", count: 100) + String(repeating: "]", count: 100),
                String(repeating: "[", count: 100_000),
            ]
        ),
    ]

    @Test(arguments: invalid.map(\.kind))
    func `a line of invalid JSON is an error, even where the invalid value is not used`(_ kind: String) async throws {
        for value in Self.invalid.first(where: { $0.kind == kind })?.values ?? [] {
            for line in [Self.frame.replacing("#", with: value), value, "[\(value)]"] {
                let bad = try await answer(Array(line.utf8))
                #expect(bad.id == nil && !bad.ok && bad.code == "invalid_question", "\(line.prefix(200))")
            }
        }
        for value in ["1", #"{"a":[1.5e-3,"\u00e9",null]}"#] {
            #expect(
                try await answer(Array(Self.frame.replacing("#", with: value).utf8)).id == "a",
                "the frame is valid"
            )
        }
    }

    @Test(
        arguments: [
            [0xFF], [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xC2], [0xE0, 0x80, 0x80], [0xE2, 0x82], [0xED, 0xA0, 0x80],
            [0xF0, 0x80, 0x80, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFE, 0xFF],
        ] as [[UInt8]]
    )
    func `a line that is not UTF-8 is an error`(_ bytes: [UInt8]) async throws {
        let parts = Self.frame.split(separator: "#").map { Array($0.utf8) }
        for line in [parts[0] + [0x22] + bytes + [0x22] + parts[1], bytes, parts[0] + bytes + parts[1]] {
            let bad = try await answer(line)
            #expect(bad.id == nil && !bad.ok && bad.code == "invalid_question")
        }
        // UTF-16, with and without a mark.
        for line in [[0x7B, 0, 0x7D, 0], [0xFF, 0xFE, 0x7B, 0, 0x7D, 0]] as [[UInt8]] {
            #expect(try await answer(line).code == "invalid_question")
        }
    }

    @Test(arguments: [
        (#""roots":5"#, "'roots' must be an array of strings"),
        (#""roots":["a",5]"#, "'roots' must be an array of strings"),
        (#""host":5"#, "'host' must be a string"), (#""max_depth":"0""#, "'max_depth' must be a whole number"),
        (#""allow_invalid":"no""#, "'allow_invalid' must be true or false"),
        (#""strict":1"#, "'strict' must be true or false"),
        (#""validates_domain":[]"#, "'validates_domain' must be true or false"),
        (#""host":"a","host":"b""#, "'host' is given twice"),
        (#""host":"host.test","ip":"192.0.2.1""#, "'ip' must be absent beside 'host'"),
        (#""host":"host.test","ip":"nonsense""#, "'ip' must be absent beside 'host'"),
        (#""crls":"x""#, "'crls' must be an array of strings"), (#""pins":{}"#, "'pins' must be an array of strings"),
    ])
    func `an invalid option is an error, and never ignored`(_ member: String, _ reason: String) async throws {
        let line = #"{"id":7,"leaf":"",\#(member)}"#
        let text = String(decoding: await TrustBatch().answer(to: Array(line.utf8)), as: UTF8.self)
        #expect(text.hasPrefix(member.contains("host\":\"a") ? #"{"id":null,"ok":false"# : #"{"id":7,"ok":false"#))
        #expect(text.contains(reason), "\(text)")
    }

    @Test func `an input that cannot be read is an error, not the end of the questions`() async throws {
        let script = #"exec "$0" trust evaluate --batch </"#
        let batch = try await FinishedCommand.run(["-c", script, BuiltAgent.path], of: "/bin/sh")
        #expect(batch.status == 75)
        #expect(batch.error == "reachagent: standard input cannot be read: Is a directory\n")
        #expect(batch.output.isEmpty)
    }
}
