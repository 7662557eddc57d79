import AgentTestKit
import Testing

@testable import NetlinkMonitor

@Suite("The table of links")
struct LinkTableTests {
    private static func links(_ indices: UInt32...) -> [Link] { indices.map { Link(index: $0, name: "if\($0)") } }

    @Test("the links are in the order of their indices, and the last one of an index counts")
    func order() {
        let table = LinkTable(Self.links(7, 2, 300, 1) + [Link(index: 7, name: "again")])
        #expect(table.values.map(\.name) == ["if1", "if2", "again", "if300"])
        #expect(Array(table) == table.values)
        #expect(table.count == 4)
        #expect(table == LinkTable(table.values.reversed()))
        #expect(LinkTable().isEmpty)
    }

    @Test("a link is found, replaced, inserted in its place and removed by its index")
    func subscripts() {
        var table = LinkTable(Self.links(2, 4))
        #expect([0, 1, 2, 3, 4, 5].map { table[$0]?.name } == [nil, nil, "if2", nil, "if4", nil])
        table[4]?.flags = [.up]
        table[3]?.flags = [.up]
        for index: UInt32 in [5, 1, 3] { table[index] = Link(index: index, name: "new") }
        #expect(table.values.map(\.index) == [1, 2, 3, 4, 5])
        #expect(table.values.map { $0.flags.contains(.up) } == [false, false, false, true, false])
        for index: UInt32 in [1, 4, 5, 6] { table[index] = nil }
        #expect(table.values.map(\.index) == [2, 3])
    }

    @Test("the differences of two tables are those of two dictionaries, in order", arguments: 0..<200)
    func differences(seed: UInt64) {
        var random = SplitMix(state: seed)
        func table() -> LinkTable {
            LinkTable(
                (0..<UInt32(seed % 20)).filter { _ in Bool.random(using: &random) }.map { index in
                    Link(index: index, name: Bool.random(using: &random) ? "a" : "b")
                }
            )
        }
        let (old, new) = (table(), table())
        func byIndex(_ table: LinkTable) -> [UInt32: Link] {
            Dictionary(uniqueKeysWithValues: table.values.map { ($0.index, $0) })
        }
        let (before, after) = (byIndex(old), byIndex(new))
        let expected = Set(before.keys).union(after.keys).sorted().filter { before[$0] != after[$0] }
        let found = new.differences(since: old)
        #expect(found.map { $0.old?.index ?? $0.new?.index } == expected)
        #expect(found.map(\.old) == expected.map { before[$0] }, "\(old) → \(new)")
        #expect(found.map(\.new) == expected.map { after[$0] }, "\(old) → \(new)")
        #expect(found.isEmpty == (old == new))
    }
}
