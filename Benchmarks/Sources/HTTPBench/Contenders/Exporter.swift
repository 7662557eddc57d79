internal import BenchmarkKit
internal import WebTestbed

/// The exporters that the agent stands beside.
enum Exporter: String, CaseIterable {
    case node = "node_exporter"
    case blackbox = "blackbox_exporter"

    /// The program of Debian's package, which has the same name.
    var program: String {
        switch self {
        case .node: "prometheus-node-exporter"
        case .blackbox: "prometheus-blackbox-exporter"
        }
    }

    /// The program's version, or the reason that it is missing.
    func version() throws(BenchmarkError) -> String {
        guard let path = Executable.find(program) else { return "it is not installed (apt-get install \(program))" }
        return try Executable.firstLine(path, ["--version"])
    }

    /// Starts it as its package does, with what it collects without options; `nil` if it is not installed.
    func start(in directory: TemporaryDirectory) throws(BenchmarkError) -> MetricsServer? {
        guard let path = Executable.find(program) else { return nil }
        let port = try Loopback.freePort()
        var arguments = ["--web.listen-address=127.0.0.1:\(port)", "--log.level=error"]
        if self == .blackbox {
            let file = try directory.write("modules: {http: {prober: http}}\n", to: "blackbox.yml")
            arguments.append("--config.file=\(file)")
        }
        let child = try MetricsServer.start(path, arguments)
        try Loopback.waitForListener(on: port, of: child, named: rawValue)
        return MetricsServer("\(rawValue), TCP", at: .port(port), of: child)
    }
}
