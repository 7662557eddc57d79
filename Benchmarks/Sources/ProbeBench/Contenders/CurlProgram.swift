internal import BenchmarkKit

/// curl: one process with all URLs of a round in its configuration.
///
/// There is no warm-up; the CPU time is the whole process's.
struct CurlProgram: LoadGenerator {
    let contender = Contender.curl
    let version: String
    let path: String
    let directory: TemporaryDirectory

    func run(_ load: Load) throws(BenchmarkError) -> Measurement {
        let configuration = try directory.write(Self.configuration(load), to: "curl.conf")
        let run = try ProgramRun(path, ["--config", configuration], outputFile: directory.path(of: "output"))
        var latencies = LatencyHistogram()
        var failures = load.count
        var failure: String?
        for line in run.output.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count == 2, let seconds = Double(words[1]), seconds >= 0, seconds < 3600 else { continue }
            guard latencies.record(UInt64(seconds * 1e9)) else { continue }
            if words[0] == "200" { failures -= 1 } else { failure = failure ?? "status \(words[0])" }
        }
        return Measurement(
            summary: LoadSummary(
                count: load.count,
                failures: failures,
                cpuSeconds: Double(run.cpuNanoseconds) / 1e9,
                elapsedSeconds: Double(run.elapsedNanoseconds) / 1e9,
                p50Microseconds: latencies.microseconds(atPercentile: 50),
                p99Microseconds: latencies.microseconds(atPercentile: 99),
                failure: failures > 0 ? failure ?? "no result" : nil
            ),
            peakResidentKilobytes: run.peakResidentKilobytes
        )
    }

    private static func configuration(_ load: Load) -> String {
        var lines = [
            "silent", "no-progress-meter", "http1.1", "no-sessionid", #"header = "Connection: close""#,
            #"cacert = "\#(load.caFile)""#, #"write-out = "%{http_code} %{time_total}\n""#,
        ]
        if load.concurrency > 1 {
            // Without "immediate" a transfer waits for the first connection, to share it if it can.
            lines += ["parallel", "parallel-immediate", "parallel-max = \(load.concurrency)"]
        }
        for _ in 0..<load.count { lines += [#"url = "\#(load.url)""#, #"output = "/dev/null""#] }
        return lines.joined(separator: "\n") + "\n"
    }
}
