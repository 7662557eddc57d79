import CheckResults
import NetlinkMonitor
import Testing

@testable import Reachability

/// The definitions of `full`, `partial` and `local` in README and docs/events.md, checked check by check.
///
/// A probe is `NAME:LETTERS`, one letter for IPv4 and one for IPv6 where it has both families; `?` after the name is a probe
/// that is not required, and `any:` one that takes whichever family answers.
///
/// `u` up; `s` up, over TLS after a redirect; `t` no answer; `h` no answer once the handshake is over; `5` HTTP status 500; `b`
/// the wrong body; `e` an expired certificate of its own; `w` a certificate that is not the target's; `x` such a certificate of
/// the server of its redirect; `r` the connection refused; `a` the handshake refused; `d` the resolver silent; `o` the resolver
/// silent about the name of its redirect; `n` no such name; `l` too slow; `g` an ICMP error of a router; `i` one of the target
/// itself; `z` the connection refused by this machine itself, to which the name has led; `y` a certificate that is not the
/// target's, from there; `m` up, there.
struct ConnectivityDefinitionTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let definition: String
        let probes: [String]
        let expected: String
        var quorum = Quorum.all
        var testDescription: String { "\(probes.joined(separator: " ")): \(definition)" }
    }

    static let cases = [
        Case(definition: "every required probe is up", probes: ["https:u", "dns:u"], expected: "full"),
        Case(definition: "in every family that has a path", probes: ["https:uu"], expected: "full"),
        Case(definition: "what is not required may fail", probes: ["https:u", "http?:t"], expected: "full"),
        Case(
            definition: "enough of the required ones are up",
            probes: ["https:u", "mail:t"],
            expected: "full",
            quorum: .atLeast(1)
        ),

        Case(definition: "some are", probes: ["https:u", "mail:t"], expected: "partial connect_timeout mail"),
        Case(definition: "one family fails", probes: ["https:ut"], expected: "partial connect_timeout https"),
        Case(definition: "the other family fails", probes: ["https:tu"], expected: "partial connect_timeout https"),
        Case(
            definition: "HTTP works and HTTPS does not",
            probes: ["https:t", "http:u"],
            expected: "partial https_unreachable"
        ),
        Case(
            definition: "HTTP works, if only for a portal check, and HTTPS does not",
            probes: ["https:t", "portal?:u"],
            expected: "partial https_unreachable"
        ),
        Case(definition: "port 443 is refused", probes: ["https:r", "http:u"], expected: "partial https_unreachable"),
        Case(
            definition: "every handshake is refused",
            probes: ["https:a", "portal?:u"],
            expected: "partial https_unreachable"
        ),
        Case(
            definition: "HTTP works in one family, and HTTPS is silent in the other: the family fails, not HTTPS",
            probes: ["https:ut", "http:u"],
            expected: "partial connect_timeout https"
        ),
        Case(
            definition: "a server that answers 500 over good TLS beside an open portal check",
            probes: ["https:5", "portal?:u"],
            expected: "partial http_status https"
        ),
        Case(
            definition: "a server that answers 500 and nothing else",
            probes: ["https:5"],
            expected: "partial http_status https"
        ),
        Case(definition: "the same without TLS", probes: ["http:5"], expected: "partial http_status http"),
        Case(definition: "the wrong body", probes: ["https:b", "portal?:u"], expected: "partial http_body https"),
        Case(
            definition: "a certificate of its own that has expired",
            probes: ["https:e", "portal?:u"],
            expected: "partial tls_expired https"
        ),
        Case(
            definition: "a server that hangs after the handshake",
            probes: ["https:h", "portal?:u"],
            expected: "partial timeout https"
        ),
        Case(definition: "the same and nothing else", probes: ["https:h"], expected: "partial timeout https"),
        Case(
            definition: "one that answers 500 shows that HTTPS works, though another is silent",
            probes: ["https:5", "mail:t", "portal?:u"],
            expected: "partial http_status https"
        ),
        Case(
            definition: "one that answers 500 is an answer",
            probes: ["https:5", "mail:t"],
            expected: "partial http_status https"
        ),
        Case(
            definition: "a server that refuses the connection",
            probes: ["https:r"],
            expected: "partial connect_refused https"
        ),
        Case(
            definition: "a server that refuses the handshake",
            probes: ["https:a"],
            expected: "partial tls_alert https"
        ),
        Case(definition: "a name that does not exist", probes: ["https:n"], expected: "partial dns_nxdomain https"),
        Case(definition: "an answer that is too slow", probes: ["https:l"], expected: "partial latency_high https"),
        Case(
            definition: "names cannot be looked up, and an address answers",
            probes: ["https:d", "http?:u"],
            expected: "partial dns_timeout https"
        ),
        Case(definition: "a wrong certificate", probes: ["https:w"], expected: "partial portal_suspected https"),
        Case(definition: "wrong certificates", probes: ["https:w", "mail:w"], expected: "partial portal_suspected"),
        Case(
            definition: "wrong certificates while HTTP is open",
            probes: ["https:w", "mail:w", "portal?:u"],
            expected: "partial tls_intercepted"
        ),
        Case(
            definition: "of two required ones only one is up, and two are wanted",
            probes: ["https:u", "mail:5", "dns:t"],
            expected: "partial quorum_missed",
            quorum: .atLeast(2)
        ),

        Case(definition: "nothing answers", probes: ["https:t"], expected: "local connect_timeout https"),
        Case(
            definition: "nothing answers in either family",
            probes: ["https:tt", "http:tt"],
            expected: "local connect_timeout http"
        ),
        Case(
            definition: "nothing answers, portal checks included",
            probes: ["https:t", "portal?:t"],
            expected: "local connect_timeout https"
        ),
        Case(definition: "the resolver is silent", probes: ["https:d", "http:d"], expected: "local dns_timeout http"),
        Case(
            definition: "nothing answers in any family",
            probes: ["any:https:t"],
            expected: "local connect_timeout https"
        ),
        Case(
            definition: "a name server leads the name to this machine, where nothing listens",
            probes: ["https:z"],
            expected: "local connect_refused https"
        ),
        Case(
            definition: "a server of this machine answers in the target's place",
            probes: ["https:y", "mail:t"],
            expected: "local tls_self_signed https"
        ),
        Case(
            definition: "one name leads to this machine, and another target answers",
            probes: ["https:u", "mail:z"],
            expected: "partial connect_refused mail"
        ),
        Case(
            definition: "a server of this machine answers as the target would: nothing is known of what is beyond",
            probes: ["https:m", "ping:m"],
            expected: "unknown"
        ),
        Case(
            definition: "this machine answers in the place of one target, and the other is silent",
            probes: ["https:t", "ping:m"],
            expected: "local connect_timeout https"
        ),
        Case(
            definition: "this machine answers in the place of a portal check's target, and nothing else does",
            probes: ["https:t", "portal?:m"],
            expected: "local connect_timeout https"
        ),
        Case(
            definition: "one name leads to this machine, which answers, and another target is up",
            probes: ["https:u", "ping:m"],
            expected: "full"
        ),
        Case(
            definition: "this machine completes a handshake, and HTTPS fails where HTTP works",
            probes: ["https:r", "http:u", "mail:m"],
            expected: "partial https_unreachable"
        ),
        Case(
            definition: "the target answers with a redirect to a name that cannot be looked up",
            probes: ["https:o"],
            expected: "partial dns_timeout https"
        ),
        Case(
            definition: "such a redirect shows that HTTPS works, though another server refuses it",
            probes: ["https:o", "http:u", "mail:r"],
            expected: "partial connect_refused mail"
        ),
        Case(
            definition: "the target redirects to a server with a wrong certificate",
            probes: ["https:x"],
            expected: "partial tls_self_signed https"
        ),
        Case(
            definition: "the same while HTTP is open",
            probes: ["https:x", "portal?:u"],
            expected: "partial tls_self_signed https"
        ),
        Case(
            definition: "HTTP leads to HTTPS, which works, and another server refuses it",
            probes: ["http:s", "mail:r"],
            expected: "partial connect_refused mail"
        ),
        Case(
            definition: "HTTP leads to HTTPS, which works, and another server has a wrong certificate",
            probes: ["http:s", "mail:w"],
            expected: "partial tls_untrusted_root mail"
        ),
        Case(
            definition: "a router reports that the target cannot be reached",
            probes: ["ping:g"],
            expected: "local icmp_unreachable ping"
        ),
        Case(
            definition: "the target itself rejects the request",
            probes: ["ping:i"],
            expected: "partial icmp_unreachable ping"
        ),
        Case(
            definition: "the network's own word that it is no portal is no answer from beyond it",
            probes: ["https:t", "portal-api?:u"],
            expected: "local connect_timeout https"
        ),
    ]

    @Test("connectivity follows its definition", arguments: cases)
    func follows(_ definition: Case) throws {
        let names = definition.probes.map { $0.split(separator: ":").map(String.init) }
        let rules = names.map { Self.rule($0) }
        let configuration = MachineConfiguration(settle: .none, probes: rules, quorum: definition.quorum)
        var run = MachineRun(configuration)
        let hasIPv6 = names.contains { ($0.last ?? "").count > 1 }
        run.see(ScriptedNetwork(wlan0: .init(hasIPv6: hasIPv6)), at: 0, isFirst: true)
        for round in 1...3 {
            for (name, rule) in zip(names, rules) {
                let letters = name.last ?? ""
                for (letter, family) in zip(letters, ["ipv4", "ipv6"]) {
                    let place = rule.families == .any ? "default" : "default/\(family)"
                    let point = try #require(run.machine.points.first { "\($0)" == "\(rule.name)@\(place)" })
                    var sample = Self.sample(letter, at: round * 1000, point: point)
                    if letter == "u", rule.isPortalCheck { sample.portal = PortalEvidence(.open) }
                    run.note(run.machine.handle(sample).transitions)
                }
            }
        }
        let state = run.machine.state
        let said = [state.connectivity.rawValue, state.connectivityReason?.code, state.connectivityReason?.probe]
        #expect(said.compactMap { $0 }.joined(separator: " ") == definition.expected)
    }

    private static func rule(_ parts: [String]) -> ProbeRule {
        let isAny = parts.first == "any"
        let word = isAny ? parts[1] : parts[0]
        let isOptional = word.hasSuffix("?")
        let name = isOptional ? String(word.dropLast()) : word
        let letters = parts.last ?? ""
        return ProbeRule(
            name: name,
            isRequired: !isOptional,
            isPortalCheck: name.hasPrefix("portal"),
            usesTLS: ["https", "mail", "portal-api"].contains(name),
            families: isAny ? .any : letters.count > 1 ? .each : .ipv4
        )
    }

    private static func sample(_ letter: Character, at milliseconds: Int, point: ProbePoint) -> ProbeSample {
        var sample = ScriptedCheck.sample("s", at: milliseconds, point: point)
        let failures: [Character: FindingCode] = [
            "t": .connectTimeout, "h": .timeout, "5": .httpStatus, "b": .httpBody, "e": .tlsExpired,
            "w": .tlsUntrustedRoot, "r": .connectRefused, "a": .tlsAlert, "d": .dnsTimeout, "n": .dnsNXDomain,
            "l": .latencyHigh, "z": .connectRefused, "y": .tlsSelfSigned, "x": .tlsSelfSigned, "o": .dnsTimeout,
            "g": .icmpUnreachable, "i": .icmpUnreachable,
        ]
        sample.leadsToThisMachine = "zym".contains(letter)
        sample.endedOverTLS = letter == "s"
        guard let code = failures[letter] else { return sample }
        sample.outcome = "do".contains(letter) ? .unknown : .failed
        sample.code = code
        sample.wasAnswered = "hyxoi".contains(letter)
        return sample
    }
}
