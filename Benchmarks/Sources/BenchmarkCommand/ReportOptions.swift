internal import ArgumentParser
package import BenchmarkKit
internal import Glibc

/// The output options that all benchmarks share.
package struct ReportOptions: ParsableArguments {
    @Flag(help: "Print the report as JSON.")
    private var json = false

    @Flag(help: "End with status 1 when a target is missed.")
    private var check = false

    package init() {}

    /// Measures, and prints the report; a benchmark that cannot run reports the reason and exits with status 69.
    ///
    /// - Parameter benchmark: The name of the benchmark, for the error message.
    package func print<Report: BenchmarkReport>(
        of benchmark: String,
        _ measure: () throws(BenchmarkError) -> Report
    ) throws {
        signal(SIGPIPE, SIG_IGN)
        let report: Report
        do throws(BenchmarkError) {
            report = try measure()
        } catch {
            Output.tell("\(benchmark): \(error)")
            throw ExitCode(EX_UNAVAILABLE)
        }
        Swift.print(json ? try Output.json(report) : report.text)
        if check, report.verdicts.contains(where: { !$0.isMet }) { throw ExitCode(1) }
    }
}
