internal import ArgumentParser
internal import CommandText
internal import ForeignText
internal import Glibc
internal import Sinks

/// The broker from which the fleet's events are read.
///
/// Secrets are in files, because every user of a machine can see arguments.
struct ServerOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The NATS server, or several of one cluster with commas between them (default: $NATS_URL, or nats://127.0.0.1:4222).",
            valueName: "url"
        )
    )
    var server: String?

    @Option(help: ArgumentHelp("The JetStream stream (default: the one with the subject).", valueName: "name"))
    var stream: String?

    @Option(help: ArgumentHelp("The subject of the events, as the sinks have it.", valueName: "template"))
    var subject = "reachagent.<device>.<type>"

    @Option(help: ArgumentHelp("The user's name.", valueName: "name"))
    var user: String?

    @Option(help: ArgumentHelp("The file whose first line is the password.", valueName: "file"), completion: .file())
    var passwordFile: String?

    @Option(help: ArgumentHelp("The file whose first line is the token.", valueName: "file"), completion: .file())
    var tokenFile: String?

    @Option(help: ArgumentHelp("The file with a JWT and a seed (.creds).", valueName: "file"), completion: .file())
    var credentialsFile: String?

    @Option(help: ArgumentHelp("The file with the seed of an NKey.", valueName: "file"), completion: .file())
    var nkeyFile: String?

    @Option(
        help: ArgumentHelp("The authorities of the server's certificate, in PEM.", valueName: "file"),
        completion: .file()
    )
    var caFile: String?

    @Option(help: ArgumentHelp("The client's certificate chain, in PEM.", valueName: "file"), completion: .file())
    var clientCertificate: String?

    @Option(help: ArgumentHelp("The private key of the certificate, in PEM.", valueName: "file"), completion: .file())
    var clientKey: String?

    func validate() throws {
        _ = try source()
        if (user == nil) != (passwordFile == nil) {
            throw ValidationError("'--user' and '--password-file' need each other")
        }
        if (clientCertificate == nil) != (clientKey == nil) {
            throw ValidationError("'--client-certificate' and '--client-key' need each other")
        }
        let ways = [
            ("--user", user), ("--token-file", tokenFile), ("--credentials-file", credentialsFile),
            ("--nkey-file", nkeyFile),
        ]
        .filter { $0.1 != nil }.map(\.0)
        guard ways.count <= 1 else { throw ValidationError("'\(ways[0])' and '\(ways[1])' exclude each other") }
    }

    /// Returns the broker, in the form of a sink's settings.
    func source() throws -> FleetSource {
        let url = server ?? getenv("NATS_URL").map { String(cString: $0) } ?? "nats://127.0.0.1:4222"
        do {
            let broker = try BrokerAddress(url)
            guard broker.scheme.isNATS else {
                throw ValidationError("expected a NATS server such as 'nats://broker.example:4222', got '\(broker)'")
            }
            // Without a device of its own, because it only reads.
            var settings = SinkSettings(name: "fleet", broker: broker, device: "_")
            settings.stream = stream
            settings.subject = subject
            settings.authorities = caFile.map(Self.absolute)
            settings.credentials.user = user
            settings.credentials.passwordFile = passwordFile.map(Self.absolute)
            settings.credentials.tokenFile = tokenFile.map(Self.absolute)
            settings.credentials.credentialsFile = credentialsFile.map(Self.absolute)
            settings.credentials.nkeyFile = nkeyFile.map(Self.absolute)
            settings.credentials.clientCertificate = clientCertificate.map(Self.absolute)
            settings.credentials.clientKey = clientKey.map(Self.absolute)
            return FleetSource(settings: settings, template: try settings.template())
        } catch let error as SinkSettingError {
            throw ValidationError(error.description)
        }
    }

    private static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/") else { return path }
        guard let directory = getcwd(nil, 0) else { return path }
        defer { free(directory) }
        return "\(String(cString: directory))/\(path)"
    }
}
