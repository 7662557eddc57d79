internal import BenchmarkKit
internal import WebTestbed

/// A contender that makes transfers, in a process of its own.
enum Contender: String, Codable, Sendable, CaseIterable {
    /// This project's library.
    case probes
    case curl

    /// Returns the arguments of its program, which prints the number of payload bytes on its last line.
    func arguments(
        _ scenario: Scenario,
        _ bytes: Int,
        _ server: ObjectServer,
        _ certificates: ServerCertificates,
        in directory: TemporaryDirectory
    ) throws(BenchmarkError) -> [String] {
        let origin = scenario.origin(server)
        switch self {
        case .probes:
            return [
                "load", "--scenario", scenario.rawValue, "--origin", origin, "--ca-file", certificates.rootFile,
                "--bytes", "\(bytes)",
            ]
        case .curl:
            let common = [
                "--silent", "--show-error", "--fail", "--cacert", certificates.rootFile, "--output", "/dev/null",
                scenario.applicationProtocols.contains("h2") ? "--http2" : "--http1.1",
            ]
            guard scenario.isUpload else {
                return common + ["--range", "0-\(bytes - 1)", "--write-out", "\n%{size_download}\n", "\(origin)/large"]
            }
            let file = directory.path(of: "upload-\(bytes)")
            _ = try Executable.run("/usr/bin/truncate", ["--size=\(bytes)", file])
            return common + [
                "--request", "POST", "--upload-file", file, "--write-out", "\n%{size_upload}\n", "\(origin)/upload",
            ]
        }
    }
}
