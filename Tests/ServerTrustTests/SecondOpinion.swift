import ForeignText
import FoundationEssentials
import SwiftASN1
import Testing
@_spi(FixedExpiryValidationTime) import X509

@testable import ServerTrust

/// The judgement of the X509 module on a path that our own search accepts.
///
/// The module knows RFC 5280 from code that is not ours. Our rules see more (purposes, name forms, profiles), so that
/// what they accept, the module must accept too.
enum SecondOpinion {
    /// A reason not to ask the module: our rules know more here.
    enum Exception: CaseIterable, Sendable {
        /// A server's certificate that is trusted itself: to the module it is no chain.
        case trustedServer
        /// Name constraints: the module refuses those on directory and e-mail names outright, and others from roots.
        case nameConstraints
        /// A certificate that the module cannot decode, such as one with an RSA-PSS signature.
        case undecodable
        /// An issuer that is written in another case or type of string than in its own certificate, which RFC 5280,
        /// section 7.1, calls the same name.
        case issuerSpelling
    }

    enum Answer: Equatable {
        case accepted
        case refused(String)
        case notAsked(Exception)
    }

    /// Declares the critical extensions that our rules judge and the module does not know.
    private struct JudgedExtensions: VerifierPolicy {
        let verifyingCriticalExtensions: [ASN1ObjectIdentifier] = [
            [2, 5, 29, 17], [2, 5, 29, 31], [2, 5, 29, 32], [2, 5, 29, 33], [2, 5, 29, 36], [2, 5, 29, 37],
            [2, 5, 29, 54],
        ]

        func chainMeetsPolicyRequirements(chain: UnverifiedCertificateChain) -> PolicyEvaluationResult { .meetsPolicy }
    }

    private static let nameConstraints: ASN1ObjectIdentifier = [2, 5, 29, 30]

    /// Asks the module, without the exceptions when `isStrict`.
    ///
    /// - Parameter path: The server's certificate first, the anchor last, in DER.
    static func answer(on path: [[UInt8]], at date: Date, isStrict: Bool = false) async -> Answer {
        guard path.count > 1 || isStrict else { return .notAsked(.trustedServer) }
        guard let certificates = try? path.map({ try Certificate(derEncoded: $0) }), let leaf = certificates.first,
            let anchor = certificates.last
        else { return .notAsked(.undecodable) }
        if !isStrict, certificates.contains(where: { $0.extensions[oid: nameConstraints] != nil }) {
            return .notAsked(.nameConstraints)
        }
        if !isStrict, hasAnotherSpelling(path.map { DecodedCertificate(der: $0, within: .unlimited()) }) {
            return .notAsked(.issuerSpelling)
        }
        // The module's dates are whole seconds.
        let moment = Date(timeIntervalSince1970: date.timeIntervalSince1970.rounded(.down))
        var verifier = Verifier(rootCertificates: CertificateStore([anchor])) {
            RFC5280Policy(fixedExpiryValidationTime: moment)
            JudgedExtensions()
        }
        let between = CertificateStore(certificates.dropFirst().dropLast())
        guard case .couldNotValidate(let failures) = await verifier.validate(leaf: leaf, intermediates: between) else {
            return .accepted
        }
        return .refused(failures.first.map { String(describing: $0.policyFailureReason) } ?? "no chain to the anchor")
    }

    private static func hasAnotherSpelling(_ path: [DecodedCertificate]) -> Bool {
        zip(path, path.dropFirst()).contains { child, issuer in
            child.issuer.encoded != issuer.subject.encoded && child.issuer.matches(issuer.subject)
        }
    }

    /// The path of an accepted verdict, in DER; nil for a refusal, and where the policy does not ask for a valid chain
    /// to the anchors.
    static func path(
        of verdict: TrustVerdict,
        under policy: SecurityPolicy,
        among certificates: [[UInt8]]
    ) throws -> [[UInt8]]? {
        guard verdict.isAccepted, !policy.allowsInvalidCertificates, policy.pinningMode != .certificate else {
            return nil
        }
        let known = Dictionary(certificates.map { (CertificateDescription(der: $0).sha256, $0) }) { first, _ in first }
        return try verdict.validatedChain.map { try #require(known[$0.sha256]) }
    }

    /// The module's refusal of the path that a verdict accepts; nil where both agree, or the module is not asked.
    static func refusal(
        of verdict: TrustVerdict,
        under policy: SecurityPolicy,
        among certificates: [[UInt8]],
        at date: Date
    ) async throws -> String? {
        guard let path = try path(of: verdict, under: policy, among: certificates),
            case .refused(let reason) = await answer(on: path, at: date)
        else { return nil }
        let chain = verdict.validatedChain.map(\.subject).joined(separator: " < ")
        return "the X509 module refuses \(chain): \(reason)"
    }

    /// Records an issue when the module refuses the path that a verdict accepts.
    static func check(
        _ verdict: TrustVerdict,
        under policy: SecurityPolicy,
        among certificates: [[UInt8]],
        at date: Date,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        do {
            if let refusal = try await refusal(of: verdict, under: policy, among: certificates, at: date) {
                Issue.record("\(refusal)", sourceLocation: sourceLocation)
            }
        } catch {
            Issue.record(error, sourceLocation: sourceLocation)
        }
    }
}
