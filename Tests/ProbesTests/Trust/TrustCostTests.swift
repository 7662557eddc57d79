import AgentTestKit
import ProbeTestKit
import Testing

@testable import Probes

/// The work of an evaluation grows with what is presented, and ends when it is told to.
@Suite(.serialized, .onOwnThread) struct TrustCostTests {
    private static let families = TrustCost.names + TrustCost.forms + TrustCost.graphs

    @Test(arguments: families)
    func `twice as much to evaluate takes at most two and a half times as long`(_ family: TrustCost) throws {
        var last: Duration?
        for shift in [3, 2, 1, 0] {
            let material = try family.make(family.maximum >> shift)
            let time = try TrustCost.processorTime { _ = try material.evaluate(within: .unlimited()) }
            // Below a millisecond it is the clock that is measured.
            if let last {
                #expect(time <= max(last, .milliseconds(1)) * 2.5, "\(family.maximum >> shift): \(last), \(time)")
            }
            last = time
        }
    }

    @Test(arguments: families)
    func `the largest of a family ends with its deadline`(_ family: TrustCost) throws {
        let material = try family.make(family.maximum)
        var late = Duration.seconds(3600)
        // The best of some: the machine may be busy with something else.
        for _ in 0..<5 {
            let end = SuspendingClock.now.advanced(by: .milliseconds(20))
            let verdict = try material.evaluate(within: WorkBudget(deadline: end, steps: .max))
            late = min(late, end.duration(to: .now))
            #expect(!verdict.isAccepted || late < .zero)
        }
        #expect(late < .milliseconds(100), "\(late) after the deadline")
    }

    @Test func `a list of revoked certificates is decoded in proportion to its length`() throws {
        var last: Duration?
        for count in [5000, 10_000, 20_000] {
            let list = try Self.list(count)
            let time = TrustCost.processorTime { _ = try? CertificateRevocationList(der: list) }
            if let last { #expect(time <= last * 2.5, "\(count): \(last), \(time)") }
            last = time
        }
    }

    @Test func `a list is verified once for all paths that its issuer is on`() throws {
        let root = try IssuedCertificate.selfSigned(.authority("Root"))
        let key = TestKey.p256()
        let middles = try (0..<40).map { number in
            try root.issue(
                CertificateTemplate.intermediate("Middle").with {
                    $0.extensions.append(.nameConstraints(excluded: [.dns("n\(number).test"), .dns("host.test")]))
                },
                key: key
            )
        }
        let leaf = try middles[0].issue(.server())
        var list = RevocationListTemplate()
        list.entries = (0..<20_000).map { .init(serialNumber: [0x40, UInt8($0 >> 8), UInt8($0 & 0xFF)]) }
        let lists = [try CertificateRevocationList(der: root.revocationList(list))]
        func time(_ count: Int) throws -> Duration {
            let material = TrustCost.Material(
                presented: [leaf.der] + middles.prefix(count).map(\.der),
                anchors: [root.der],
                lists: lists
            )
            return try TrustCost.processorTime { _ = try material.evaluate(within: .unlimited()) }
        }
        #expect(try time(40) <= max(try time(20), .milliseconds(1)) * 2.5)
    }

    /// A list whose entries each have a critical extension of their own.
    private static func list(_ count: Int) throws -> [UInt8] {
        let algorithm = TrustCost.der(0x30, [0x06, 0x03, 0x2B, 0x65, 0x70])
        let time = TrustCost.der(0x17, Array("260501000000Z".utf8))
        let entries = (0..<count).map { number in
            let digits = [0x40, UInt8(number >> 14 & 0x7F), UInt8(number >> 7 & 0x7F), UInt8(number & 0x7F)]
            let identifier: [UInt8] = [0x06, 0x05, 0x2A] + digits
            let strange = TrustCost.der(0x30, identifier + [0x01, 0x01, 0xFF, 0x04, 0x02, 0x05, 0x00])
            return TrustCost.der(0x30, [0x02, 0x04] + digits + time + TrustCost.der(0x30, strange))
        }
        let name = TrustCost.der(0x30, [])
        let list = TrustCost.der(0x30, Array(entries.joined()))
        let signed = TrustCost.der(0x30, [0x02, 0x01, 0x01] + algorithm + name + time + list)
        let whole = TrustCost.der(0x30, signed + algorithm + [0x03, 0x02, 0x00, 0x00])
        #expect(try CertificateRevocationList(der: whole).content.entries.count == count)
        return whole
    }
}
