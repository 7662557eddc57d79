import Foundation
import StatePages
import Testing

@testable import ReachAgentManual

/// The dashboard of the example, and the table of metrics from which it is made.
@Suite struct DashboardTests {
    @Test func `the example matches the generator's output`() throws {
        let file = Project.directory.appending(path: "examples/prometheus/dashboard.json")
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(text == (try Dashboard.text()), "examples/prometheus/dashboard.json is stale: make reference")
    }

    @Test(arguments: Dashboard.panels.map(\.title))
    func `a panel names metrics and labels that exist, and explains itself by the table`(title: String) throws {
        let panel = try #require(Dashboard.panels.first { $0.title == title })
        #expect(panel.unknownNames.isEmpty, "\(panel.unknownNames)")
        #expect(panel.unknownLabels.isEmpty, "\(panel.unknownLabels)")
        let text = try #require(panel.description)
        #expect(MetricFamily.all.contains { "\($0.help)." == text })
    }

    /// The promtool tests evaluate it as the document has it; the panel has variables besides.
    @Test(arguments: [("Available in 30 days", "alerts-month.test.yml"), ("Changes", "alerts.test.yml")])
    func `an expression is the same in panel, document and promtool test`(title: String, test: String) throws {
        let panel = try #require(Dashboard.panels.first { $0.title == title })
        let expression = try #require(panel.queries.first).expression
            .replacing(#"instance=~"$instance", "#, with: "").replacing(#"{instance=~"$instance"}"#, with: "")
            .replacing("$__rate_interval", with: "1h")
        for file in ["docs/metrics.md", "examples/prometheus/\(test)"] {
            let text = try String(contentsOf: Project.directory.appending(path: file), encoding: .utf8)
            #expect(text.split(whereSeparator: \.isWhitespace).joined(separator: " ").contains(expression), "\(file)")
        }
    }

    @Test func `panels have titles and places of their own`() throws {
        #expect(Set(Dashboard.panels.map(\.title)).count == Dashboard.panels.count)
        struct Document: Decodable {
            struct Panel: Decodable {
                struct Position: Decodable { var h, w, x, y: Int }
                var gridPos: Position
                var id: Int
            }
            var panels: [Panel]
        }
        let panels = try JSONDecoder().decode(Document.self, from: Data(try Dashboard.text().utf8)).panels
        #expect(panels.map(\.id) == Array(1...panels.count))
        var taken: Set<[Int]> = []
        for place in panels.map(\.gridPos) {
            #expect(place.x + place.w <= 24)
            for x in place.x..<place.x + place.w {
                for y in place.y..<place.y + place.h { #expect(taken.insert([x, y]).inserted, "\(x) \(y)") }
            }
        }
    }
}
