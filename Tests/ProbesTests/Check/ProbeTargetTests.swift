import ServerTrust
import Testing

@testable import Probes

@Suite
struct ProbeTargetTests {
    @Test(arguments: [
        ("http://host.test", "http://host.test/"), ("HTTPS://Host.Test:8443/a?b", "https://host.test:8443/a?b"),
        ("tcp://host.test:22", "tcp://host.test:22"), ("tcp://[2001:db8::1]:22", "tcp://[2001:db8::1]:22"),
        ("tcp://192.0.2.1:80/", "tcp://192.0.2.1:80"), ("icmp://host.test", "icmp://host.test"),
        ("icmp://2001:db8::1", "icmp://[2001:db8::1]"), ("icmp://[2001:db8::1]", "icmp://[2001:db8::1]"),
        ("tcp://Host.Test.:22", "tcp://host.test.:22"), ("icmp://host.test.", "icmp://host.test."),
        ("dns://ns.test.:5353/host.test.", "dns://ns.test.:5353/host.test.?type=A"),
        ("dns://192.0.2.53/host.test", "dns://192.0.2.53/host.test?type=A"),
        ("dns://192.0.2.53:5353/host.test?type=aaaa", "dns://192.0.2.53:5353/host.test?type=AAAA"),
        ("dns://[2001:db8::53]/.?type=NS", "dns://[2001:db8::53]/.?type=NS"),
        ("dns://192.0.2.53/*.test?type=type48", "dns://192.0.2.53/*.test?type=TYPE48"),
        ("dns://192.0.2.53/_a._tcp.test?type=SRV", "dns://192.0.2.53/_a._tcp.test?type=SRV"),
        (#"dns://192.0.2.53/a\.b.test"#, #"dns://192.0.2.53/a\.b.test?type=A"#),
        (#"dns://192.0.2.53/a\046b"#, #"dns://192.0.2.53/a\046b?type=A"#),
        ("https://[::ffff:192.0.2.1]/", "https://192.0.2.1/"), ("tcp://[::ffff:192.0.2.1]:22", "tcp://192.0.2.1:22"),
        ("icmp://::ffff:192.0.2.1", "icmp://192.0.2.1"),
        ("dns://[::ffff:192.0.2.53]/host.test", "dns://192.0.2.53/host.test?type=A"),
    ])
    func `a target is read and shown in its normal form`(text: String, shown: String) throws {
        #expect(try ProbeTarget(parsing: text).description == shown)
    }

    @Test(arguments: [
        "http://host.test%:8080/", "tcp://host.test%:22", "icmp://host.test%", "dns://host.test%/name",
    ])
    func `a trailing dot distinguishes targets, and not destinations`(form: String) throws {
        let targets = try ["", "."].map { try ProbeTarget(parsing: form.replacing("%", with: $0)) }
        #expect(targets[0] != targets[1])
        #expect(Set(targets.map { Probe(target: $0, trust: TrustEvaluator(anchors: .system)).destination }).count == 1)
    }

    @Test(
        arguments: [
            ("http://host.test/", nil, true), ("http://192.0.2.1/", nil, false), ("https://[2001:db8::1]/", nil, false),
            ("tcp://host.test:22", nil, true), ("tcp://192.0.2.1:22", nil, false), ("icmp://host.test", nil, true),
            ("icmp://192.0.2.1", nil, false), ("dns://ns.test/host.test", nil, true),
            ("dns://192.0.2.53/host.test", nil, false), ("http://host.test/", .address([192, 0, 2, 1]), false),
            ("tcp://192.0.2.1:22", .name("host.test"), true),
        ] as [(String, ServerIdentity?, Bool)]
    )
    func `a check looks a name up if it connects to one first`(
        text: String,
        other: ServerIdentity?,
        looksUp: Bool
    ) throws {
        var probe = Probe(target: try ProbeTarget(parsing: text), trust: TrustEvaluator(anchors: .system))
        probe.connectTo = other.map { Probe.Endpoint(host: $0, port: 443) }
        #expect(probe.looksUpName == looksUp)
    }

    @Test(arguments: [
        "", "host.test", "://", "ftp://host.test", "tcp://host.test", "tcp://host.test:", "tcp://host.test:0",
        "tcp://host.test:65536", "tcp://host.test:+1", "tcp://host.test:22/path", "tcp://:22", "tcp://[::1:22",
        "tcp://[::1]x:22", "tcp://[]:1", "tcp://2001:db8::1", "icmp://host.test:1", "icmp://", "icmp://a b",
        "icmp://host.test?x", "dns://192.0.2.53", "dns://192.0.2.53/", "dns://192.0.2.53/a b",
        "dns://192.0.2.53/a?class=IN", "dns://192.0.2.53/a?type=", "dns://192.0.2.53/a?type=A-B",
        "dns://192.0.2.53/a?type=BOGUS", "dns://192.0.2.53/a?type=TYPE65536",
        "dns:///name",
        "http://", "http://user:word@host.test/", "tcp://user@host.test:1",
    ])
    func `an invalid target is an error`(text: String) {
        #expect(throws: ProbeTargetError.self) { try ProbeTarget(parsing: text) }
    }

    @Test(arguments: [
        ("x..test", "'x..test' is not a domain name to ask for: a name has an empty label"),
        (".x.test", "'.x.test' is not a domain name to ask for: a name has an empty label"),
        (
            String(repeating: "a", count: 64) + ".test",
            "'\(String(repeating: "a", count: 64)).test' is not a domain name to ask for: a label has more than 63 bytes"
        ),
        (
            #"a\999.test"#,
            #"'a\999.test' is not a domain name to ask for: "#
                + "a backslash is followed by neither a character nor three digits up to 255"
        ),
        ("", "'' is not a domain name to ask for: dns://RESOLVER/NAME is needed"),
        (
            "x.test?type=DNSKEY",
            "'DNSKEY' is not a record type; accepted are A, AAAA, CAA, CNAME, HTTPS, MX, NS, PTR, SOA, SRV, SVCB, TXT and "
                + "TYPE followed by a number"
        ),
    ])
    func `a name or type that no query can have is an error with the reason`(rest: String, message: String) {
        #expect { try ProbeTarget(parsing: "dns://192.0.2.53/\(rest)") } throws: { "\($0)" == message }
    }

    @Test(arguments: [
        "http://user:hunter2@host.test/", "tcp://user:hunter2@host.test:1", "hunter2@host.test",
        "https://user:hunter2@\u{301}host.test/", "https://user:hunter2/x@host.test/",
        "https://user:hunter2?x@host.test/",
        "https://user:hunter2#x@host.test/", "https://user:x/hunter2@host.test/", "https://[hunter2/x@host.test/",
        "tcp://user:hunter2/x@host.test:1", "tcp://user:22/hunter2@host.test:22", "tcp://user:22#hunter2@host.test:22",
        "icmp://user:hunter2/x@host.test", "icmp://user?hunter2@host.test", "icmp://user:22hunter2@host.test",
        "dns://user:hunter2/x@192.0.2.53/name", "dns://user/hunter2 x@192.0.2.53/name",
        "dns://user/x?hunter2@192.0.2.53/name", "dns://user/x?type=hunter2@192.0.2.53", "user:hunter2/x@host.test",
        "hunter2@host.test://x", "user/hunter2://x@host.test", "https://host.test:x/?token=hunter2",
        "https://host.test:x/?mail=a@b&token=hunter2", "https://host.test:x/?mail=a@b#hunter2",
        "dns://192.0.2.53/x?token=hunter2", "dns://192.0.2.53/x?type=A&token=hunter2", "dns://host?token=hunter2/x",
        "dns://host:53?token=hunter2/x", "dns://[::1?token=hunter2/x", "tcp://host.test:1/?token=hunter2",
        "icmp://host.test?token=hunter2", "host?token=hunter2://x",
    ])
    func `an error never shows a password`(text: String) {
        do {
            _ = try ProbeTarget(parsing: text)
            Issue.record("the target was accepted")
        } catch {
            #expect(!error.description.contains("hunter2"))
        }
    }
}
