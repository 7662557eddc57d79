internal import BenchmarkKit

/// A program of this package that probes in a loop, and reports a ``LoadSummary`` on its last line.
struct LoadProgram: LoadGenerator {
    let contender: Contender
    let version: String
    let path: String
    /// The arguments in addition to those of the load.
    var extraArguments: [String] = []
    let directory: TemporaryDirectory

    func run(_ load: Load) throws(BenchmarkError) -> Measurement {
        let run = try ProgramRun(
            path,
            [
                "--url", load.url, "--ca-file", load.caFile, "--count", "\(load.count)", "--warm-up", "\(load.warmUp)",
                "--concurrency", "\(load.concurrency)",
            ] + extraArguments,
            outputFile: directory.path(of: "output")
        )
        let line = run.output.split(separator: "\n").last.map(String.init) ?? ""
        return Measurement(
            summary: try LoadSummary(line: line),
            peakResidentKilobytes: run.peakResidentKilobytes
        )
    }
}
