import Foundation
import Probes
import Testing

@testable import Configuration

/// The declarations of the keys, and the documents that are made from them or must agree with them.
@Suite struct KeyDeclarationTests {
    /// A table with its keys.
    struct Table: Sendable, CustomTestStringConvertible {
        let name: String
        let keys: KeyList
        var testDescription: String { name }
    }

    static let tables: [Table] = RootKeys.all.declarations.flatMap { tables($0, below: "") }

    private static func tables(_ declaration: any KeyDeclaration, below path: String) -> [Table] {
        guard let table = declaration as? Subtable else { return [] }
        let name = path + table.facts.name
        return [Table(name: name, keys: table.keys)] + table.keys.declarations.flatMap { tables($0, below: "\(name).") }
    }

    private static func document(_ path: String) throws -> String {
        try String(contentsOfFile: "\(Fixtures.examples)/../../\(path)", encoding: .utf8)
    }

    @Test(arguments: tables)
    func `each key of a table has one name and a meaning`(table: Table) {
        #expect(Set(table.keys.names).count == table.keys.names.count)
        for facts in table.keys.declarations.map(\.facts) {
            #expect(
                facts.name.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == 0x5F || (0x30...0x39).contains($0) }
            )
            #expect(!facts.sentence.isEmpty && !facts.sentence.hasSuffix("."), "\(facts.name)")
            #expect(!facts.kind.isEmpty)
        }
    }

    @Test(arguments: tables)
    func `the example of a key is a value of it`(table: Table) throws {
        for declaration in table.keys.declarations {
            guard let example = declaration.facts.example else { continue }
            let source = try SourceText(Array("a = \(example)".utf8), file: "example")
            guard case .table(let members) = try TOMLParser.parse(source).value, let node = members["a"] else {
                continue
            }
            let errors = declaration.errors(in: node).map(\.message)
            #expect(errors.isEmpty, "\(declaration.facts.name) = \(example)")
        }
    }

    @Test func `the reference in the documentation is that of the declarations`() throws {
        let document = try Self.document("docs/configuration.md")
        let isCurrent = try ConfigurationReference.updated(document) == document
        #expect(isCurrent, "docs/configuration.md is stale: make reference")
    }

    @Test func `a marker without a table, or a table without a marker, is an error`() throws {
        let document = try Self.document("docs/configuration.md")
        for broken in [
            document.replacing("<!-- keys: agent -->", with: "<!-- keys: agents -->"),
            document.replacing("<!-- keys: agent -->", with: ""),
            document.replacing("<!-- keys: limits -->", with: "<!-- keys: agent -->"),
            document + "\n<!-- end of keys -->",
            document.replacing("<!-- end of keys -->", with: ""),
        ] {
            #expect(throws: ConfigurationReference.Failure.self) { try ConfigurationReference.updated(broken) }
        }
    }

    @Test(arguments: tables)
    func `the full example shows every key`(table: Table) throws {
        let lines = try Self.document("examples/config/full.toml").split(separator: "\n")
        for key in table.keys.names {
            let isShown = lines.contains {
                $0.split(whereSeparator: { " #{,[].".contains($0) }).contains(Substring(key))
            }
            #expect(isShown, "\(key) is missing in full.toml")
        }
    }

    @Test func `there are as many keys as there were, and more`() {
        #expect(Self.tables.flatMap(\.keys.names).count > 120)
    }

    @Test(arguments: [("icmp://192.0.2.1", "icmp"), ("dns://192.0.2.53/a.test", "dns"), ("tcp://a.test:22", "tcp")])
    func `a key without meaning for a kind of target is an error`(target: String, kind: String) throws {
        let scope: KeyScope = ["icmp": .icmp, "dns": .dns, "tcp": .tcp][kind] ?? .all
        for key in ProbeKeys.everything.declarations.map(\.facts) where !key.scope.contains(scope) {
            let text = "[probe.a]\ntarget = '\(target)'\n\(key.name) = 1\n"
            let message = "probe.a.\(key.name): has no meaning for the target \(target)"
            #expect(try Fixtures.errors(text).contains { $0.contains(message) }, "\(key.name)")
        }
    }
}
