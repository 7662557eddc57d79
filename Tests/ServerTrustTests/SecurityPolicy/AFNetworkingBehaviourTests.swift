import AgentTestKit
import ProbeTestKit
import ServerTrust
import Testing

/// The 46 tests that AFNetworking has of its security policy, as behaviours.
@Suite
struct AFNetworkingBehaviourTests {
    @Test
    func `1 to 4: the default policy pins nothing, allows nothing invalid and validates the name`() {
        let policy = SecurityPolicy()
        #expect(policy.pinningMode == .none)
        #expect(!policy.allowsInvalidCertificates)
        #expect(policy.validatesDomainName)
        #expect(policy.pinnedCertificates.isEmpty && policy.pinnedPublicKeys.isEmpty)
        #expect(!policy.isAFNetworkingCompatible)
    }

    @Test(arguments: AFNetworkingBehaviour.shared, [false, true])
    func `5 to 44: a server is accepted or rejected as in AFNetworking`(
        behaviour: AFNetworkingBehaviour,
        isCompatible: Bool
    ) async throws {
        let fixtures = try TrustFixtures.shared
        var policy = try behaviour.policy(fixtures)
        policy.isAFNetworkingCompatible = isCompatible
        let verdict = await fixtures.verdict(behaviour.server, policy, host: behaviour.host)
        #expect(verdict.isAccepted == behaviour.isAccepted, "\(verdict.findings)")
        #expect((verdict.code == nil) == behaviour.isAccepted)
    }

    @Test
    func `34: a pinned key is accepted under the common name only when AFNetworking's gap is kept`() async throws {
        let fixtures = try TrustFixtures.shared
        var policy = try AFNetworkingBehaviour.commonName.policy(fixtures)
        #expect(await fixtures.verdict(.common, policy).code == .tlsNoSubjectAlternativeName)
        policy.isAFNetworkingCompatible = true
        #expect(await fixtures.verdict(.common, policy).isAccepted)
    }

    @Test
    func `the table has every number once`() {
        let numbers = AFNetworkingBehaviour.shared.map(\.number) + [AFNetworkingBehaviour.commonName.number]
        let elsewhere = [1, 2, 3, 4, 9, 10, 21, 22, 45, 46]
        #expect((numbers + elsewhere).sorted() == Array(1...46))
    }

    @Test(arguments: [(9, SecurityPolicy.PinningMode.publicKey), (21, .certificate)])
    func `9, 10, 21, 22: pins are loaded from a directory, and are the certificates in it`(
        number: Int,
        mode: SecurityPolicy.PinningMode
    ) async throws {
        let fixtures = try TrustFixtures.shared
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        try directory.file("leaf.cer", fixtures.site.leaf.der)
        try directory.file("other.pem", fixtures.other.leaf.pem)
        try directory.file("readme.txt", "no certificate")

        let pins = try CertificateFile.certificates(at: directory.path).map { try PinnedCertificate(der: $0) }
        #expect(pins.filter { $0.der == fixtures.site.leaf.der }.count == 1)
        #expect(pins.count == 2)
        let policy = SecurityPolicy(pinningMode: mode, pinnedCertificates: pins)
        #expect(await fixtures.verdict(.site, policy).isAccepted)
    }

    @Test
    func `45 and 46: a copy has every property, and a change of the copy leaves the original unchanged`() throws {
        let pins = try TrustFixtures.shared.pins([.leaf, .root])
        let policy = SecurityPolicy(
            pinningMode: .certificate,
            pinnedCertificates: pins,
            pinnedPublicKeys: pins.map(\.publicKeyPin),
            allowsInvalidCertificates: true,
            validatesDomainName: false,
            isAFNetworkingCompatible: true
        )
        var copy = policy
        #expect(copy == policy)
        #expect(copy.hashValue == policy.hashValue)
        let changes: [(inout SecurityPolicy) -> Void] = [
            { $0.pinningMode = .publicKey }, { $0.pinnedCertificates.removeLast() },
            { $0.pinnedPublicKeys.removeLast() }, { $0.allowsInvalidCertificates = false },
            { $0.validatesDomainName = true }, { $0.isAFNetworkingCompatible = false },
        ]
        for change in changes {
            copy = policy
            change(&copy)
            #expect(copy != policy)
        }
        // What a configuration file holds of a policy leads back to it.
        #expect(SecurityPolicy.PinningMode(rawValue: policy.pinningMode.rawValue) == policy.pinningMode)
        #expect(
            try policy.pinnedPublicKeys.map { try PublicKeyPin(parsing: $0.description) } == policy.pinnedPublicKeys
        )
        #expect(try policy.pinnedCertificates.map { try PinnedCertificate(der: $0.der) } == policy.pinnedCertificates)
    }
}
