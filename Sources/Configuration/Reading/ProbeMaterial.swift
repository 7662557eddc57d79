internal import Probes

/// The material shared by the probes of one configuration: files are read once, and equal policies share one evaluator.
///
/// An evaluator caches its verdicts; thousands of probes with the same policy need them only once.
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

    /// Returns the certificates of a file or directory.
    func certificates(at path: String) throws(SecurityPolicyError) -> [[UInt8]] {
        if let known = certificates[path] { return try known.get() }
        let result = Result { () throws(SecurityPolicyError) in
            try Self.refuseSpecialFile(path)
            return try CertificateFile.certificates(at: path)
        }
        certificates[path] = result
        return try result.get()
    }

    /// Returns the revocation lists of a file.
    func revocationLists(at path: String) throws(SecurityPolicyError) -> [CertificateRevocationList] {
        if let known = revocationLists[path] { return try known.get() }
        let result = Result { () throws(SecurityPolicyError) in
            try Self.refuseSpecialFile(path)
            return try CertificateRevocationList.lists(at: path)
        }
        revocationLists[path] = result
        return try result.get()
    }

    /// Returns the SHA-256 of a file's content, for the identity of the table that names it; empty if the file cannot
    /// be read.
    func digest(ofFile path: String) -> String {
        if let known = digests[path] { return known }
        let digest = (try? RegularFile.bytes(of: path, max: 64 << 20)).map(RegularFile.digest) ?? ""
        digests[path] = digest
        return digest
    }

    /// Returns the evaluator for a policy; the same one for the same `identity`.
    func evaluator(identity: String, _ make: () -> TrustEvaluator) -> TrustEvaluator {
        if let known = evaluators[identity] { return known }
        let evaluator = make()
        evaluators[identity] = evaluator
        return evaluator
    }

    /// Rejects a FIFO, which would block the reader.
    private static func refuseSpecialFile(_ path: String) throws(SecurityPolicyError) {
        guard RegularFile.isSpecial(path) else { return }
        throw .unreadable(path: path, reason: "it is neither a regular file nor a directory")
    }
}
