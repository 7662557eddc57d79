import CheckResults
import Testing

import struct FoundationEssentials.Date

/// Verdicts, codes and phases print in the words of events and commands; a host is read from text.
struct VerdictTextTests {
    @Test(arguments: [
        (CheckVerdict.ok, "ok"),
        (.failed(.connectRefused, .connect), "failed: connect_refused in phase connect"),
        (.failed(.timeout, .firstByte), "failed: timeout in phase first_byte"),
        (.unknown(.noRoute, .connect), "not checked: no_route in phase connect"),
    ])
    func `a check's verdict prints with its code and phase`(_ verdict: CheckVerdict, _ text: String) {
        #expect("\(verdict)" == text)
    }

    @Test(arguments: FindingCode.allCases)
    func `a code prints as in events`(_ code: FindingCode) { #expect("\(code)" == code.rawValue) }

    @Test(arguments: Phase.allCases)
    func `a phase prints as in events`(_ phase: Phase) { #expect("\(phase)" == phase.rawValue) }

    @Test(arguments: [
        (true, [Finding(.tlsBackupPinOnly, .warning, subject: "a", evidence: "b")], "accepted"),
        (
            false,
            [
                Finding(.tlsBackupPinOnly, .warning, subject: "a", evidence: "b"),
                Finding(.tlsExpired, subject: "a", evidence: "b"),
            ],
            "not accepted: tls_expired"
        ),
        (false, [], "not accepted"),
    ])
    func `a verdict on certificates prints with its code`(_ isAccepted: Bool, _ findings: [Finding], _ text: String) {
        let verdict = TrustVerdict(
            isAccepted: isAccepted,
            findings: findings,
            presentedChain: [],
            validatedChain: [],
            date: Date(timeIntervalSince1970: 0)
        )
        #expect("\(verdict)" == text)
    }

    @Test(arguments: [
        ("host.test", ServerIdentity.name("host.test")), ("host.test.", .name("host.test.")), ("", .name("")),
        ("192.0.2.7", .address([192, 0, 2, 7])), ("::1", .address([UInt8](repeating: 0, count: 15) + [1])),
        ("[::1]", .address([UInt8](repeating: 0, count: 15) + [1])), ("[192.0.2.7]", .name("[192.0.2.7]")),
        ("[::1", .name("[::1")), ("[]", .name("[]")), ("[", .name("[")), ("127.1", .name("127.1")),
        ("::ffff:192.0.2.7", .address([192, 0, 2, 7])), ("[::ffff:c000:207]", .address([192, 0, 2, 7])),
        ("192.0.2.7 ", .name("192.0.2.7 ")), ("fe80::1%eth0", .name("fe80::1%eth0")),
        ("192.0.2.7\0.host.test", .name("192.0.2.7\0.host.test")), ("::1\0", .name("::1\0")),
    ])
    func `a host is an address in one of its written forms, or else a name`(_ text: String, _ identity: ServerIdentity)
    {
        #expect(ServerIdentity(host: text) == identity)
    }
}
