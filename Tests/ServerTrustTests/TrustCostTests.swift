import AgentTestKit
import ForeignText
import ProbeTestKit
import Testing

@testable import ServerTrust

/// The work of an evaluation, which grows with the certificates presented, and ends with its budget.
@Suite(.serialized, .onOwnThread) struct TrustCostTests {
    private static let families = TrustCost.names + TrustCost.forms + TrustCost.graphs

    @Test(arguments: families)
    func `twice as much to evaluate takes at most two and a half times as long`(_ family: TrustCost) throws {
        let materials = try family.sizes.map { try family.make($0) }
        let growth = try growth(of: materials.count) { _ = try materials[$0].evaluate(within: .unlimited()) }
        #expect(growth.isLinear, "\(family.sizes): \(growth)")
    }

    /// The growth of the time of a call; below a millisecond it is the clock that is measured.
    private func growth(of count: Int, _ body: (Int) throws -> Void) rethrows -> CostGrowth {
        try CostGrowth.measure(count, noise: 0, rounds: 3) { index in
            max(0.001, try CostGrowth.seconds { try body(index) })
        }
    }

    @Test(arguments: families)
    func `the largest of a family ends with its deadline`(_ family: TrustCost) throws {
        let material = try family.make(family.maximum)
        var late = Duration.seconds(3600)
        // The best of some: the machine may be busy with something else.
        for _ in 0..<5 {
            let end = SuspendingClock.now.advanced(by: .milliseconds(20))
            _ = try material.evaluate(within: WorkBudget(deadline: end, steps: .max))
            late = min(late, end.duration(to: .now))
        }
        #expect(late < .milliseconds(100), "\(late) after the deadline")
        // A deadline that has passed for certain: one of the above may pass between the verdict and the look at the clock.
        let expired = try material.evaluate(within: WorkBudget(deadline: .now, steps: .max))
        #expect(!expired.isAccepted)
    }

    @Test func `a list of revoked certificates is decoded in proportion to its length`() throws {
        let lists = try [5000, 10_000, 20_000].map { try Self.list($0) }
        let growth = growth(of: lists.count) { _ = try? CertificateRevocationList(der: lists[$0]) }
        #expect(growth.isLinear, "\(growth)")
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
        let materials = [20, 40].map { count in
            TrustCost.Material(
                presented: [leaf.der] + middles.prefix(count).map(\.der),
                anchors: [root.der],
                lists: lists
            )
        }
        let growth = try growth(of: materials.count) { _ = try materials[$0].evaluate(within: .unlimited()) }
        #expect(growth.isLinear, "\(growth)")
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
