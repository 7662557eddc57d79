/// The results of a benchmark, as text for people and as JSON for programs.
package protocol BenchmarkReport: Encodable {
    /// The tables, the targets last.
    var text: String { get }
    /// The targets, and whether they are met.
    var verdicts: [Verdict] { get }
}
