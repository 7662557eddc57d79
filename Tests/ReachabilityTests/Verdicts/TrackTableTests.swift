import CheckResults
import Testing

@testable import Reachability

/// The tracks of all points, in order.
struct TrackTableTests {
    private static func track(_ name: String) -> ProbeTrack {
        let rule = ProbeRule(name: name)
        let point = ProbePoint(probe: name, vantage: Vantage(families: .ipv4))
        return ProbeTrack(point, rule: rule, egresses: Vantages.Egresses())
    }

    @Test("the list of points keeps its storage while it is the same, so that comparing it is cheap")
    func storage() {
        func storage(_ table: TrackTable) -> UnsafePointer<ProbePoint>? {
            table.points.withUnsafeBufferPointer(\.baseAddress)
        }
        var table = TrackTable()
        table.replace(with: [Self.track("mail"), Self.track("web")])
        let first = table.points
        table.replace(with: [Self.track("mail"), Self.track("web")])
        #expect(first.withUnsafeBufferPointer(\.baseAddress) == storage(table))
        table.replace(with: [Self.track("mail")])
        #expect(table.points.map(\.probe) == ["mail"])
        #expect(table.position(of: first[1]) == nil)
    }
}
