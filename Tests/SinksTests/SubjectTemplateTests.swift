import Sinks
import Testing

/// Subjects and topics, whose parts come from elsewhere.
struct SubjectTemplateTests {
    /// The longest token of a letter with two bytes.
    static let long = String(repeating: "é", count: 64)

    @Test(
        "variables are replaced by the properties of an event",
        arguments: [
            (
                "reachagent.<device>.<type>", SubjectTemplate.Syntax.subject, "reachagent.edge7.probe.changed",
                "reachagent.edge7.>"
            ),
            ("a.<device>.x-<type>.<subject>", .subject, "a.edge7.x-probe.changed.web_1", "a.edge7.>"),
            ("<device>", .subject, "edge7", "edge7"),
            ("reachagent/<device>/<type>", .topic, "reachagent/edge7/probe.changed", "reachagent/edge7/#"),
            ("fleet/a.b/<device>/<subject>/<type>", .topic, "fleet/a.b/edge7/web.1/probe.changed", "fleet/a.b/edge7/#"),
        ]
    )
    func names(_ text: String, _ syntax: SubjectTemplate.Syntax, _ name: String, _ filter: String) throws {
        let template = try SubjectTemplate(text, syntax: syntax)
        #expect(template.name(device: "edge7", type: "reachagent.probe.changed", subject: "web.1") == name)
        #expect(template.filter(device: "edge7") == filter)
    }

    @Test(
        "an invalid template is rejected with a sentence",
        arguments: [
            ("", SubjectTemplate.Syntax.subject, "expected a subject of 1 to 255 bytes, got 0"),
            ("reachagent.<type>", .subject, "before '<type>' and '<subject>', got 'reachagent.<type>'"),
            ("a.<type>.<device>", .subject, "expected '<device>' as a token of its own"),
            ("a.dev-<device>.<type>", .subject, "expected '<device>' as a token of its own"),
            ("a.<device>.<host>", .subject, "expected '<device>', '<type>' or '<subject>', got '<host>'"),
            ("a..<device>", .subject, "has an empty token"),
            ("a.*.<device>", .subject, "a subject must not contain '*'"),
            ("a b.<device>", .subject, "a subject must not contain ' '"),
            ("a.<device>.b>", .subject, "a subject must not contain '>'"),
            ("$SYS.<device>", .subject, "a subject must not begin with '$', which the broker keeps for itself"),
            ("/a/<device>", .topic, "has an empty level"),
            ("a/#/<device>", .topic, "a topic must not contain '#'"),
            ("a/+/<device>", .topic, "a topic must not contain '+'"),
            ("a/\u{1B}/<device>", .topic, "a topic must not contain '\\u{1b}'"),
            (String(repeating: "a", count: 256), .topic, "expected a topic of 1 to 255 bytes, got 256"),
        ]
    )
    func invalid(_ text: String, _ syntax: SubjectTemplate.Syntax, _ part: String) {
        do {
            _ = try SubjectTemplate(text, syntax: syntax)
            Issue.record("it was accepted")
        } catch {
            #expect(error.description.firstRange(of: part) != nil, "\(error)")
        }
    }

    @Test(
        "text of any origin becomes one token",
        arguments: [
            ("edge7", "edge7", "edge7"), ("", "_", "_"), ("a.b", "a_b", "a.b"), ("a/b+c#", "a/b+c#", "a_b_c_"),
            ("* >", "___", "*_>"), ("a\u{202E}b\0", "a_b_", "a_b_"), ("größe", "größe", "größe"),
            (String(repeating: "é", count: 100), long, long),
        ]
    )
    func tokens(_ text: String, _ subject: String, _ topic: String) {
        #expect(SubjectTemplate.Syntax.subject.token(text) == subject)
        #expect(SubjectTemplate.Syntax.topic.token(text) == topic)
        #expect(SubjectTemplate.Syntax.subject.isToken(text) == (text == subject))
    }

    @Test("hostile types and subjects never produce another device's subject or a wildcard")
    func hostile() throws {
        let template = try SubjectTemplate("r.<device>.<type>.<subject>", syntax: .subject)
        var random = Jumble(seed: 3)
        for _ in 0..<5000 {
            let pieces = [".", "*", ">", " ", "a", "reachagent.", "\u{7F}", "é", "\r\n"]
            let name = template.name(
                device: "edge7",
                type: random.text(of: pieces),
                subject: random.text(of: pieces)
            )
            let tokens = name.split(separator: ".", omittingEmptySubsequences: false)
            #expect(tokens.prefix(2) == ["r", "edge7"] && tokens.allSatisfy { !$0.isEmpty })
            #expect(
                name.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "*") && $0 != UInt8(ascii: ">") }
            )
        }
    }

    @Test(
        "a filter passes the types that it lists",
        arguments: [
            ([], "reachagent.path.changed", true), (["path.changed"], "reachagent.path.changed", true),
            (["reachagent.path.*"], "reachagent.path.changed", true), (["probe.*"], "reachagent.path.changed", false),
            (["*"], "a.stranger's", true), (["path.change"], "reachagent.path.changed", false),
        ] as [([String], String, Bool)]
    )
    func filter(_ patterns: [String], _ type: String, _ passes: Bool) {
        #expect(EventFilter(patterns).passes(type) == passes)
    }

    @Test(
        "a filter without patterns, or with one for everything, passes all types",
        arguments: [
            ([], true), (["*"], true), (["reachagent.*"], true), (["path.*", "*"], true), (["path.*"], false),
            (["path.changed"], false),
        ] as [([String], Bool)]
    )
    func all(_ patterns: [String], _ passesAll: Bool) {
        #expect(EventFilter(patterns).passesAll == passesAll)
    }
}

@Suite struct SubjectTemplateReadersTests {
    @Test(arguments: [
        ("reachagent.<device>.<type>", "reachagent.*.>", "reachagent.edge-7.path.changed", "edge-7"),
        ("a.b.<device>", "a.b.*", "a.b.edge-7", "edge-7"),
        ("<device>.x.<type>", "*.>", "edge-7.x.path.changed", "edge-7"),
        ("reachagent.<device>.<type>", "reachagent.*.>", "reachagent", nil),
        ("reachagent.<device>.<type>", "reachagent.*.>", "reachagent..x", nil),
        ("reachagent.<device>.<type>", "reachagent.*.>", "reachagent.edge-7.\u{301}x.path.changed", "edge-7"),
    ])
    func `a reader of all devices finds the device in a subject`(
        _ text: String,
        _ filter: String,
        _ name: String,
        _ device: String?
    ) throws {
        let template = try SubjectTemplate(text, syntax: .subject)
        #expect(template.allDevices == filter)
        #expect(template.device(in: name).map(String.init) == device)
    }

    @Test
    func `an MQTT topic has its own wildcards`() throws {
        let template = try SubjectTemplate("reachagent/<device>/<type>", syntax: .topic)
        #expect(template.allDevices == "reachagent/+/#")
        #expect(template.device(in: "reachagent/edge-7/path.changed") == "edge-7")
    }
}
