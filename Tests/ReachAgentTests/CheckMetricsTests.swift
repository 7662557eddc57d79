import Foundation
import Probes
import StatePages
import Testing

@testable import ReachAgent

@Suite struct CheckMetricsTests {
    /// The statuses of a check's hops, `nil` for one without a response.
    @Test(
        arguments: [
            ([200], 0), ([302, 200], 1), ([302, nil], 1), ([nil], 0), ([nil, 200], 0), ([302, nil, 200], 1),
        ] as [([Int?], Int)]
    )
    func `a request that was repeated over HTTP/1.1 is no redirect`(statuses: [Int?], redirects: Int) {
        let hops = statuses.map { status in
            var hop = Probes.CheckHop(url: "https://host.test/")
            hop.response = status.map { Probes.ResponseReport(httpVersion: "1.1", status: $0, headers: []) }
            return hop
        }
        let report = Probes.CheckReport(
            target: "https://host.test/",
            verdict: .ok,
            findings: [],
            hops: hops,
            started: Date(timeIntervalSince1970: 0),
            duration: .seconds(1)
        )
        #expect(CheckMetrics(report, ended: 1).redirects == redirects)
    }

    @Test(
        arguments: [
            ("192.0.2.7", 4), ("192.0.2.7:443", 4), ("2001:db8::7", 6), ("[2001:db8::7]:443", 6), (nil, nil),
        ] as [(String?, Int?)]
    )
    func `the IP version is that of the peer, with a port or, as of an echo, without`(peer: String?, version: Int?) {
        var hop = Probes.CheckHop(url: "icmp://host.test")
        hop.peerAddress = peer
        let report = Probes.CheckReport(
            target: "icmp://host.test",
            verdict: .ok,
            findings: [],
            hops: [hop],
            started: Date(timeIntervalSince1970: 0),
            duration: .seconds(1)
        )
        #expect(CheckMetrics(report, ended: 1).ipVersion == version)
    }
}
