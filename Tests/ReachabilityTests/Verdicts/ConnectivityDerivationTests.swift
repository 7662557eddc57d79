import CheckResults
import NetlinkMonitor
import Testing

@testable import Reachability

/// The connectivity that follows from the probes of one vantage together.
struct ConnectivityDerivationTests {
    struct Member: Sendable {
        let rule: ProbeRule
        let families: AddressFamilies
        let state: ProbeState
        /// Without a verdict, as none may come.
        var isExempt = false
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let members: [Member]
        let connectivity: Connectivity
        var reason: String?
        var probe: String?
        var ipv4 = Connectivity.unknown
        var ipv6 = Connectivity.unknown
        var quorum = Quorum.all
        var hasIPv6 = true
        var testDescription: String { name }
    }

    static func probe(
        _ name: String,
        _ state: ProbeState,
        _ families: AddressFamilies = .ipv4,
        required: Bool = true,
        tls: Bool = false
    ) -> Member {
        Member(
            rule: ProbeRule(name: name, isRequired: required, isPortalCheck: name == "portal", usesTLS: tls),
            families: families,
            state: state
        )
    }

    static func exempt(_ name: String, _ families: AddressFamilies = .ipv4) -> Member {
        var member = probe(name, .unknown, families)
        member.isExempt = true
        return member
    }

    static func down(_ code: FindingCode) -> ProbeState { ProbeState(.down, code: code) }
    static func blind(_ code: FindingCode) -> ProbeState { ProbeState(.unknown, code: code) }
    static let up = ProbeState(.up)
    /// Up, and reached over TLS by a redirect from a target without it.
    static let upOverTLS: ProbeState = {
        var state = up
        state.endedOverTLS = true
        return state
    }()
    /// Up, at this machine itself.
    static let upHere: ProbeState = {
        var state = up
        state.leadsToThisMachine = true
        return state
    }()
    static let captive = ProbeState(.portal, code: .portalRedirect, portalURL: "http://portal.test/")

    static let cases = [
        Case(name: "no probe", members: [], connectivity: .unknown),
        Case(name: "no verdict yet", members: [probe("a", .unknown)], connectivity: .unknown),
        Case(name: "up", members: [probe("a", up)], connectivity: .full, ipv4: .full),
        Case(
            name: "both families up",
            members: [probe("a", up), probe("a", up, .ipv6)],
            connectivity: .full,
            ipv4: .full,
            ipv6: .full
        ),
        Case(
            name: "one family down",
            members: [probe("a", up), probe("a", down(.connectTimeout), .ipv6)],
            connectivity: .partial,
            reason: "connect_timeout",
            probe: "a",
            ipv4: .full,
            ipv6: .local
        ),
        Case(
            name: "one family without a verdict yet",
            members: [probe("a", up), probe("a", .unknown, .ipv6)],
            connectivity: .unknown,
            ipv4: .full
        ),
        Case(
            name: "one family that cannot be checked",
            members: [probe("a", up), exempt("a", .ipv6)],
            connectivity: .full,
            ipv4: .full
        ),
        Case(
            name: "one family down, and the other without a verdict yet",
            members: [probe("a", .unknown), probe("a", down(.connectTimeout), .ipv6)],
            connectivity: .unknown,
            ipv6: .local
        ),
        Case(
            name: "one family with a wrong answer, and the other without a verdict yet",
            members: [probe("a", .unknown), probe("a", down(.httpStatus), .ipv6)],
            connectivity: .partial,
            reason: "http_status",
            probe: "a",
            ipv6: .partial
        ),
        Case(
            name: "a family that has no path is none",
            members: [probe("a", up)],
            connectivity: .full,
            ipv4: .full,
            ipv6: .none,
            hasIPv6: false
        ),
        Case(
            name: "one of two down",
            members: [probe("a", up), probe("b", down(.httpStatus))],
            connectivity: .partial,
            reason: "http_status",
            probe: "b",
            ipv4: .partial
        ),
        Case(
            name: "all down",
            members: [probe("a", down(.connectTimeout)), probe("b", down(.hostUnreachable))],
            connectivity: .local,
            reason: "connect_timeout",
            probe: "a",
            ipv4: .local
        ),
        Case(
            name: "an optional one down is of no account",
            members: [probe("a", up), probe("b", down(.httpStatus), required: false)],
            connectivity: .full,
            ipv4: .full
        ),
        Case(
            name: "a portal check that is merely down is of no account",
            members: [probe("a", up), probe("portal", down(.connectTimeout), required: false)],
            connectivity: .full,
            ipv4: .full
        ),
        Case(
            name: "nothing required, something up",
            members: [probe("portal", up, required: false)],
            connectivity: .full
        ),
        Case(
            name: "nothing required, all down",
            members: [probe("portal", down(.connectTimeout), required: false)],
            connectivity: .unknown
        ),
        Case(
            name: "a portal outranks everything",
            members: [probe("a", up), probe("portal", captive, required: false)],
            connectivity: .portal,
            reason: "portal_redirect",
            probe: "portal",
            ipv4: .portal
        ),
        Case(
            name: "no name can be looked up",
            members: [probe("a", blind(.dnsTimeout)), probe("b", blind(.dnsFailure))],
            connectivity: .local,
            reason: "dns_timeout",
            probe: "a",
            ipv4: .local
        ),
        Case(
            name: "one name cannot be looked up",
            members: [probe("a", blind(.dnsTimeout)), probe("b", up)],
            connectivity: .partial,
            reason: "dns_timeout",
            probe: "a",
            ipv4: .partial
        ),
        Case(
            name: "a spent budget says nothing beside others",
            members: [probe("a", blind(.budgetExhausted)), probe("b", up)],
            connectivity: .full,
            ipv4: .full
        ),
        Case(
            name: "a spent budget alone leaves nothing known, and says why",
            members: [probe("a", blind(.budgetExhausted))],
            connectivity: .unknown,
            reason: "budget_exhausted",
            probe: "a"
        ),
        Case(
            name: "the spent budget of an optional one leaves nothing known, and says why",
            members: [probe("a", blind(.budgetExhausted), required: false)],
            connectivity: .unknown,
            reason: "budget_exhausted",
            probe: "a"
        ),
        Case(
            name: "wrong certificates and nothing else",
            members: [probe("a", down(.tlsUntrustedRoot), tls: true), probe("b", down(.tlsHostname), tls: true)],
            connectivity: .partial,
            reason: "portal_suspected",
            ipv4: .partial
        ),
        Case(
            name: "one wrong certificate and nothing else names the probe",
            members: [probe("a", down(.tlsUntrustedRoot), tls: true)],
            connectivity: .partial,
            reason: "portal_suspected",
            probe: "a",
            ipv4: .partial
        ),
        Case(
            name: "one wrong certificate names the probe, whatever an optional one has",
            members: [
                probe("a", down(.tlsUntrustedRoot), tls: true),
                probe("b", down(.tlsHostname), required: false, tls: true),
            ],
            connectivity: .partial,
            reason: "portal_suspected",
            probe: "a",
            ipv4: .partial
        ),
        Case(
            name: "wrong certificates of probes of no family in particular",
            members: [
                probe("a", down(.tlsUntrustedRoot), .any, tls: true), probe("b", down(.tlsHostname), .any, tls: true),
            ],
            connectivity: .partial,
            reason: "portal_suspected"
        ),
        Case(
            name: "wrong certificates while a check without TLS is open",
            members: [
                probe("a", down(.tlsSelfSigned), tls: true), probe("b", down(.tlsHostname), tls: true),
                probe("portal", up, required: false),
            ],
            connectivity: .partial,
            reason: "tls_intercepted",
            ipv4: .partial
        ),
        Case(
            name: "a wrong certificate of one server among others is its own affair",
            members: [probe("a", down(.tlsSelfSigned), tls: true), probe("b", up, tls: true)],
            connectivity: .partial,
            reason: "tls_self_signed",
            probe: "a",
            ipv4: .partial
        ),
        Case(
            name: "TLS fails, and without TLS it works",
            members: [probe("a", down(.connectTimeout), tls: true), probe("b", up)],
            connectivity: .partial,
            reason: "https_unreachable",
            ipv4: .partial
        ),
        Case(
            name: "TLS fails, and works where a redirect leads to it",
            members: [probe("a", down(.connectTimeout), tls: true), probe("b", upOverTLS)],
            connectivity: .partial,
            reason: "connect_timeout",
            probe: "a",
            ipv4: .partial
        ),
        Case(
            name: "a wrong certificate, and TLS works where a redirect leads to it",
            members: [probe("a", down(.tlsSelfSigned), tls: true), probe("b", upOverTLS)],
            connectivity: .partial,
            reason: "tls_self_signed",
            probe: "a",
            ipv4: .partial
        ),
        Case(
            name: "up at this machine alone",
            members: [probe("a", upHere), probe("b", upHere)],
            connectivity: .unknown
        ),
        Case(
            name: "a quorum that is reached",
            members: [probe("a", up), probe("b", down(.httpStatus)), probe("c", down(.connectTimeout))],
            connectivity: .full,
            ipv4: .full,
            quorum: .atLeast(1)
        ),
        Case(
            name: "a quorum that is missed for different reasons",
            members: [probe("a", up), probe("b", down(.httpStatus)), probe("c", down(.connectTimeout))],
            connectivity: .partial,
            reason: "quorum_missed",
            ipv4: .partial,
            quorum: .atLeast(2)
        ),
        Case(
            name: "a quorum that is missed for one reason",
            members: [probe("a", up), probe("b", down(.httpStatus)), probe("c", down(.httpStatus))],
            connectivity: .partial,
            reason: "http_status",
            probe: "b",
            ipv4: .partial,
            quorum: .atLeast(2)
        ),
        Case(
            name: "a quorum of more than there are is all of them",
            members: [probe("a", up), probe("b", up)],
            connectivity: .full,
            ipv4: .full,
            quorum: .atLeast(9)
        ),
        Case(
            name: "a verdict that is missing yet may be any",
            members: [probe("a", up), probe("b", .unknown)],
            connectivity: .unknown
        ),
        Case(
            name: "a probe that may never have a verdict is of no account",
            members: [probe("a", up), exempt("b")],
            connectivity: .full,
            ipv4: .full
        ),
        Case(
            name: "a verdict that is missing yet is not the fault of a probe that cannot be checked",
            members: [probe("a", up), probe("b", .unknown), probe("c", blind(.icmpNotPermitted))],
            connectivity: .unknown
        ),
        Case(
            name: "one down and one up are partial, whatever the missing one will be",
            members: [probe("a", up), probe("b", .unknown), probe("c", down(.connectTimeout))],
            connectivity: .partial,
            reason: "connect_timeout",
            probe: "c",
            ipv4: .partial
        ),
        Case(
            name: "one without an answer beside one that is missing yet, which may be the first answer",
            members: [probe("a", down(.connectTimeout)), probe("b", .unknown)],
            connectivity: .unknown
        ),
        Case(
            name: "a portal is one, whatever the missing ones will be",
            members: [probe("a", .unknown), probe("portal", captive, required: false)],
            connectivity: .portal,
            reason: "portal_redirect",
            probe: "portal",
            ipv4: .portal
        ),
        Case(
            name: "a quorum that is reached without the missing ones",
            members: [probe("a", up), probe("b", .unknown), probe("c", down(.httpStatus))],
            connectivity: .full,
            ipv4: .full,
            quorum: .atLeast(1)
        ),
        Case(
            name: "a quorum that depends on the missing one",
            members: [probe("a", up), probe("b", .unknown), probe("c", down(.httpStatus))],
            connectivity: .unknown,
            quorum: .atLeast(2)
        ),
        Case(
            name: "a quorum that is missed whatever the missing one will be",
            members: [probe("a", up), probe("b", .unknown), probe("c", down(.httpStatus))],
            connectivity: .partial,
            reason: "http_status",
            probe: "c",
            ipv4: .partial,
            quorum: .atLeast(3)
        ),
        Case(
            name: "a probe of no family in particular that is missing yet",
            members: [probe("a", up), probe("b", .unknown, .any)],
            connectivity: .unknown
        ),
        Case(
            name: "probes of no family in particular, one of which is missing yet",
            members: [probe("a", up, .any), probe("b", .unknown, .any)],
            connectivity: .unknown
        ),
        Case(
            name: "probes of no family in particular stand for both",
            members: [probe("a", up, .any), probe("b", down(.httpStatus), .any)],
            connectivity: .partial,
            reason: "http_status",
            probe: "b"
        ),
        Case(
            name: "probes of no family in particular do not make a dead family work",
            members: [probe("a", up, .any), probe("b", down(.connectTimeout), .ipv6), probe("b", up)],
            connectivity: .partial,
            reason: "connect_timeout",
            probe: "b",
            ipv4: .full,
            ipv6: .local,
            quorum: .atLeast(1)
        ),
    ]

    @Test("connectivity follows the table", arguments: cases)
    func derives(_ connectivityCase: Case) {
        let verdict = verdict(connectivityCase, hasPath: true)
        #expect(verdict.connectivity == connectivityCase.connectivity)
        #expect(verdict.families == FamilyConnectivity(ipv4: connectivityCase.ipv4, ipv6: connectivityCase.ipv6))
        #expect(verdict.reason?.code == connectivityCase.reason)
        #expect(verdict.reason?.probe == connectivityCase.probe)
        #expect(verdict.reason?.portalURL == (verdict.connectivity == .portal ? "http://portal.test/" : nil))
    }

    @Test("without a path there is no connectivity, whatever the probes report", arguments: cases)
    func none(_ connectivityCase: Case) {
        let verdict = verdict(connectivityCase, hasPath: false)
        #expect(verdict.connectivity == .none)
        #expect(verdict.reason == nil)
    }

    @Test("removing every counted verdict restores the empty tally", arguments: cases)
    func counts(_ connectivityCase: Case) {
        var tally = ConnectivityTally()
        for member in connectivityCase.members {
            tally.add(member.state, member.rule, member.families, isExempt: member.isExempt)
        }
        for member in connectivityCase.members {
            tally.remove(member.state, member.rule, member.families, isExempt: member.isExempt)
        }
        #expect(tally == ConnectivityTally())
    }

    private func verdict(_ connectivityCase: Case, hasPath: Bool) -> ConnectivityVerdict {
        var tally = ConnectivityTally()
        for member in connectivityCase.members {
            tally.add(member.state, member.rule, member.families, isExempt: member.isExempt)
        }
        let egress = hasPath ? Vantages.Egress(via: .wifi, interface: 3, gateway: nil) : nil
        return ConnectivityVerdict(
            tally,
            egresses: Vantages.Egresses(ipv4: egress, ipv6: connectivityCase.hasIPv6 ? egress : nil),
            quorum: connectivityCase.quorum,
            probes: connectivityCase.members.map {
                ProbeView(name: $0.rule.name, isRequired: $0.rule.isRequired, state: $0.state)
            }
        )
    }
}
