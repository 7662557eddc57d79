internal import BenchmarkKit
internal import FoundationEssentials

/// The contenders that are available on this machine.
struct LineUp {
    private(set) var generators: [any LoadGenerator] = []
    /// The requested contenders that are not available, with the reasons.
    private(set) var missing: [Contender: String] = [:]

    /// Finds the programs, and builds the one in Go.
    init(
        _ wanted: [Contender],
        probeLoad: String?,
        peersDirectory: String,
        directory: TemporaryDirectory
    ) throws(BenchmarkError) {
        var goProgram: String?
        for contender in Contender.allCases where wanted.contains(contender) {
            switch contender {
            case .probes, .probesAnew:
                let path = if let probeLoad { probeLoad } else { try Self.pathBesideThisProgram("probe-load") }
                generators.append(
                    LoadProgram(
                        contender: contender,
                        version: "this source",
                        path: path,
                        extraArguments: contender == .probesAnew ? ["--trust-anew"] : [],
                        directory: directory
                    )
                )
            case .curl:
                guard let path = find("curl", package: "curl", for: .curl) else { continue }
                let version = try Executable.firstLine(path, ["--version"])
                generators.append(CurlProgram(version: version, path: path, directory: directory))
            case .go, .goSingle:
                guard let go = find("go", package: "golang-go", for: contender) else { continue }
                let path =
                    if let goProgram { goProgram } else { try Self.buildGoProgram(go, peersDirectory, directory) }
                goProgram = path
                generators.append(
                    LoadProgram(
                        contender: contender,
                        version: try Executable.firstLine(go, ["version"]),
                        path: path,
                        extraArguments: contender == .goSingle ? ["--procs", "1"] : [],
                        directory: directory
                    )
                )
            case .blackbox:
                let name = "prometheus-blackbox-exporter"
                guard let path = find(name, package: name, for: .blackbox) else { continue }
                let version = try Executable.firstLine(path, ["--version"])
                generators.append(BlackboxDaemon(version: version, path: path, directory: directory))
            }
        }
    }

    /// Measures every contender with the same load in each round; the order rotates, so that none is always first.
    func measure(
        _ load: Load,
        rounds: Int,
        progress: (String) -> Void
    ) throws(BenchmarkError) -> [ProbeResult] {
        var measurements = [[Measurement]](repeating: [], count: generators.count)
        for round in 0..<rounds {
            progress("concurrency \(load.concurrency): round \(round + 1) of \(rounds)")
            for turn in generators.indices {
                let index = (turn + round) % generators.count
                measurements[index].append(try generators[index].run(load))
            }
        }
        return zip(generators, measurements).map {
            ProbeResult(contender: $0.contender, concurrency: load.concurrency, rounds: $1)
        }
    }

    private mutating func find(_ name: String, package: String, for contender: Contender) -> String? {
        guard let path = Executable.find(name) else {
            missing[contender] = "not installed (apt-get install \(package))"
            return nil
        }
        return path
    }

    private static func pathBesideThisProgram(_ name: String) throws(BenchmarkError) -> String {
        let path: String
        do {
            path = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        } catch {
            throw BenchmarkError("find \(name)", cause: "\(error)")
        }
        return path.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" } + "/\(name)"
    }

    private static func buildGoProgram(
        _ go: String,
        _ peersDirectory: String,
        _ directory: TemporaryDirectory
    ) throws(BenchmarkError) -> String {
        let path = directory.path(of: "go-probe")
        let built = try Executable.run(go, ["build", "-o", path, "\(peersDirectory)/go-probe/main.go"])
        guard built.status == 0 else { throw BenchmarkError("build go-probe", cause: built.text) }
        return path
    }
}
