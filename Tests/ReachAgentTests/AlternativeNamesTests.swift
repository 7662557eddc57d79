import NetlinkMonitor
import Testing

@testable import ReachAgent

/// The names by which events are matched with the hooks of interfaces that may be gone.
@Suite struct AlternativeNamesTests {
    private var names = AlternativeNames()
    private var snapshot: NetworkSnapshot?

    /// Applies a view of these interfaces, and returns whether their names have changed.
    private mutating func see(_ links: [Link]) -> Bool {
        let next = NetworkSnapshot(links: links)
        defer { snapshot = next }
        let changes = snapshot.map { next.diff(from: $0) } ?? []
        return names.note(NetworkUpdate(snapshot: next, changes: changes, observed: .now))
    }

    @Test mutating func `the names follow those of the kernel, and stay when the interface is gone`() {
        let other = Link(index: 3, name: "eth1")
        #expect(see([Link(index: 2, name: "eth0", alternativeNames: ["enp3s0"]), other]))
        #expect(names["eth0"] == ["enp3s0"] && names["eth1"] == [] && names["enp3s0"] == [])
        #expect(!see([Link(index: 2, name: "eth0", flags: [.up], alternativeNames: ["enp3s0"]), other]))
        #expect(see([Link(index: 2, name: "eth0", alternativeNames: ["enp3s0", "lan"]), other]))
        #expect(names["eth0"] == ["enp3s0", "lan"])
        #expect(!see([other]))
        #expect(names["eth0"] == ["enp3s0", "lan"])
        // The name belongs to another interface now.
        #expect(see([Link(index: 7, name: "eth0"), other]))
        #expect(names["eth0"] == [])
    }

    @Test mutating func `the first view of another monitor is read as a whole`() {
        #expect(see([Link(index: 2, name: "eth0", alternativeNames: ["enp3s0"])]))
        snapshot = nil
        #expect(see([Link(index: 2, name: "eth0", alternativeNames: ["lan"])]))
        #expect(names["eth0"] == ["lan"])
    }

    @Test mutating func `the memory of removed interfaces is bounded, and never at the cost of a present one`() {
        let present = Link(index: 1, name: "eth0", alternativeNames: ["enp3s0"])
        for number in 0..<600 as Range<UInt32> {
            _ = see([present, Link(index: number + 2, name: "veth\(number)", alternativeNames: ["a\(number)"])])
        }
        #expect(names["eth0"] == ["enp3s0"] && names["veth599"] == ["a599"])
        let known = (0..<600).filter { !names["veth\($0)"].isEmpty }.count
        #expect(known <= AlternativeNames.maximumRemoved + 1)
    }
}
