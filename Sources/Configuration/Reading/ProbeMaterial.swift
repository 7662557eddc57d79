internal import Probes

/// The material that the probes of one configuration share: files are read once, and equal policies are one evaluator.
///
/// An evaluator keeps the verdicts that it gave; thousands of probes with the same policy need them once.
final class ProbeMaterial {
    /// The builder of requests.
    let serializer: RequestSerializer
    /// The time after which a captive portal is rechecked.
    let portalInterval: Duration

    private var certificates: [String: Result<[[UInt8]], SecurityPolicyError>] = [:]
    private var revocationLists: [String: Result<[CertificateRevocationList], SecurityPolicyError>] = [:]
    private var digests: [String: String] = [:]
    private var evaluators: [String: TrustEvaluator] = [:]

    init(serializer: RequestSerializer, portalInterval: Duration) {
        self.serializer = serializer
        self.portalInterval = portalInterval
    }

    /// The certificates of a file or folder.
    func certificates(at path: String) throws(SecurityPolicyError) -> [[UInt8]] {
        if let known = certificates[path] { return try known.get() }
        let result = Result { () throws(SecurityPolicyError) in
            try Self.refuseSpecialFile(path)
            return try CertificateFile.certificates(at: path)
        }
        certificates[path] = result
        return try result.get()
    }

    /// The revocation lists of a file.
    func revocationLists(at path: String) throws(SecurityPolicyError) -> [CertificateRevocationList] {
        if let known = revocationLists[path] { return try known.get() }
        let result = Result { () throws(SecurityPolicyError) in
            try Self.refuseSpecialFile(path)
            return try CertificateRevocationList.lists(at: path)
        }
        revocationLists[path] = result
        return try result.get()
    }

    /// SHA-256 of what a file holds, for the identity of its user; empty when it cannot be read.
    func digest(ofFile path: String) -> String {
        if let known = digests[path] { return known }
        let digest = (try? RegularFile.bytes(of: path, max: 64 << 20)).map(RegularFile.digest) ?? ""
        digests[path] = digest
        return digest
    }

    /// The evaluator for a policy; the same for the same `identity`.
    func evaluator(identity: String, _ make: () -> TrustEvaluator) -> TrustEvaluator {
        if let known = evaluators[identity] { return known }
        let evaluator = make()
        evaluators[identity] = evaluator
        return evaluator
    }

    /// Refuses a FIFO, on which reading would wait.
    private static func refuseSpecialFile(_ path: String) throws(SecurityPolicyError) {
        guard RegularFile.isSpecial(path) else { return }
        throw .unreadable(path: path, reason: "it is neither a regular file nor a folder")
    }
}
