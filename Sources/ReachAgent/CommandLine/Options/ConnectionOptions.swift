internal import ArgumentParser
internal import NetlinkMonitor
internal import Probes

internal import enum AgentEvents.ShellWord

/// The egress of a check, and its timeout.
struct ConnectionOptions: ParsableArguments {
    @Option(
        name: .customLong("timeout"),
        help: ArgumentHelp(
            "The maximum duration of the whole check (default: 10s; 2m with a transfer).",
            valueName: "time"
        ),
        transform: Arguments.duration
    )
    var givenTimeout: Duration?

    /// The maximum duration of the whole check.
    var timeout: Duration { givenTimeout ?? .seconds(10) }

    @Option(
        help: ArgumentHelp(
            "The maximum number of redirects to follow; never one from https to http.",
            valueName: "count"
        )
    )
    var maxRedirects = 0

    @Option(
        name: .customLong("interface"),
        help: ArgumentHelp("Send everything through this interface.", valueName: "name"),
        completion: .interfaceNames
    )
    var givenInterface: String?

    /// The interface's own name, or the given one if there is no such interface.
    var interface: String? { givenInterface.map { InterfaceNames.read().ownName(of: $0) ?? $0 } }

    @Flag(help: "Use only IPv4.")
    var ipv4 = false

    @Flag(help: "Use only IPv6.")
    var ipv6 = false

    @Flag(help: "Do not check while the path is cellular.")
    var noCellular = false

    @Option(
        help: ArgumentHelp("Connect to this host and port; all names stay the URL's.", valueName: "host:port"),
        transform: Arguments.endpoint
    )
    var connectTo: Probe.Endpoint?

    @Option(
        name: .customLong("tls-minimum"),
        help: ArgumentHelp("The oldest TLS version to speak: 1.2 or 1.3 (default: 1.2).", valueName: "version"),
        completion: .list(["1.2", "1.3"]),
        transform: Arguments.tlsVersion
    )
    var minimumTLS: TLSOptions.Version = .tls12

    @Flag(name: .customLong("http1"), help: "Do not offer HTTP/2.")
    var isHTTPOneOnly = false

    @Option(
        help: ArgumentHelp("The client's certificate and its chain, in PEM.", valueName: "file"),
        completion: .file()
    )
    var clientCertificate: String?

    @Option(
        help: ArgumentHelp("The client's private key, in PEM; a file that others cannot read.", valueName: "file"),
        completion: .file()
    )
    var clientKey: String?

    var families: AddressFamilies { ipv4 ? .ipv4 : ipv6 ? .ipv6 : .any }

    /// The given options that select the path, as words for a shell.
    var egress: [String] {
        (givenInterface.map { ["--interface", ShellWord.quoted($0)] } ?? [])
            + (ipv4 ? ["--ipv4"] : ipv6 ? ["--ipv6"] : [])
    }

    /// The names of the given options that concern HTTP or TLS.
    var givenForHTTP: [String] {
        let options = [
            ("--max-redirects", maxRedirects != 0), ("--tls-minimum", minimumTLS != .tls12), ("--http1", isHTTPOneOnly),
            ("--client-certificate", clientCertificate != nil), ("--client-key", clientKey != nil),
        ]
        return options.filter(\.1).map(\.0)
    }

    func validate() throws {
        guard !(ipv4 && ipv6) else { throw ValidationError("only one of '--ipv4' and '--ipv6' can be given") }
        guard (0...50).contains(maxRedirects) else { throw ValidationError("'--max-redirects' takes 0 to 50") }
        guard timeout > .zero else { throw ValidationError("'--timeout' must be longer than 0") }
        guard (clientCertificate == nil) == (clientKey == nil) else {
            throw ValidationError("'--client-certificate' and '--client-key' need each other")
        }
        if let name = givenInterface, name.isEmpty || name.utf8.count > 127 {
            throw ValidationError("'\(name)' is not a valid interface name: 1 to 127 characters are needed")
        }
    }

    /// The options of TLS.
    ///
    /// - Throws: ``ClientIdentity/LoadError`` when the certificate or the key cannot be used.
    func tlsOptions() throws -> TLSOptions {
        var options = TLSOptions(minimumVersion: minimumTLS)
        if isHTTPOneOnly { options.applicationProtocols = ["http/1.1"] }
        if let clientCertificate, let clientKey {
            options.clientIdentity = try ClientIdentity(certificateFile: clientCertificate, keyFile: clientKey)
        }
        return options
    }
}
