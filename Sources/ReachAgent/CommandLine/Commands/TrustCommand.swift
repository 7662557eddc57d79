internal import AgentEvents
internal import ArgumentParser
internal import FoundationEssentials
internal import Probes

/// `reachagent trust`: the evaluation of certificates.
struct TrustCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trust",
        abstract: "Evaluate certificates as a probe does.",
        discussion: "Nothing is sent: the certificates are those of files.",
        subcommands: [TrustEvaluateCommand.self]
    )
}

/// `reachagent trust evaluate`: a probe's verdict on certificates, without a network.
struct TrustEvaluateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "evaluate",
        abstract: "Judge a server's certificates, and say why.",
        usage: "reachagent trust evaluate [<options>] [<certificate>]",
        discussion: """
            Judges the certificates of a file with the code that the TLS handshake of a probe uses. With --batch, \
            questions are read as JSON lines from standard input and answered with one line each, in the same order.

            EXAMPLES
              reachagent trust evaluate chain.pem --host www.example.org
              reachagent trust evaluate a.pem --roots ca.pem --ip 192.0.2.7
              reachagent trust evaluate --batch < questions.jsonl

            EXIT STATUS
              0   the certificates are accepted, or the batch is answered
              1   they are not
              75  this machine cannot read its bundle of trusted roots, or the
                  questions
              78  a file is bad
            """
    )

    @Argument(
        help: ArgumentHelp("The server's certificate, or its whole chain: PEM or DER.", valueName: "certificate"),
        completion: .file()
    )
    var certificate: String?

    @Option(
        help: ArgumentHelp("The same as the argument, as an option.", valueName: "file"),
        completion: .file()
    )
    var leaf: String?

    @Option(
        help: ArgumentHelp(
            "Certificates that the server sends besides: PEM or DER, or a directory.",
            valueName: "path"
        ),
        completion: .file()
    )
    var intermediates: String?

    @Option(
        help: ArgumentHelp("The roots to trust instead of the system's; as --ca-file.", valueName: "path"),
        completion: .file()
    )
    var roots: String?

    @Option(help: ArgumentHelp("The DNS name that was requested from the server, in ASCII.", valueName: "name"))
    var host: String?

    @Option(help: ArgumentHelp("The IP address that was requested from the server.", valueName: "address"))
    var ip: String?

    @Flag(help: "Read questions as JSON lines and answer each with one.")
    var batch = false

    @Flag(help: "Print one JSON object.")
    var json = false

    @OptionGroup var policy: PolicyOptions

    func validate() throws {
        if batch {
            guard certificate == nil, leaf == nil, intermediates == nil, roots == nil, host == nil, ip == nil else {
                throw ValidationError("'--batch' reads certificates and names from its input, not from options")
            }
            // A silently ignored option would look like a policy that was met.
            if let option = policy.given.first {
                throw ValidationError(
                    "'\(option)' has no meaning with '--batch', whose questions have their own policy"
                )
            }
            return
        }
        guard leaf == nil || certificate == nil else {
            throw ValidationError("'\(certificate ?? "")' and '--leaf' exclude each other")
        }
        guard leaf != nil || certificate != nil else {
            throw ValidationError("the certificate to evaluate is missing: a file in PEM or DER")
        }
        guard host == nil || ip == nil else { throw ValidationError("'--host' and '--ip' exclude each other") }
        guard host != nil || ip != nil || policy.ignoresDomainName else {
            throw ValidationError("'--host' or '--ip' is missing, or '--no-validate-domain-name'")
        }
        guard roots == nil || policy.caFile == nil else {
            throw ValidationError("'--roots' and '--ca-file' exclude each other")
        }
        _ = try identity()
    }

    func run() throws {
        if batch { return try answerBatch() }
        let evaluator = try policy.trustEvaluator(roots: roots)
        let date = policy.date ?? Date.now
        let (certificates, name) = (try presented(), try identity())
        let verdict = Blocking.run { await evaluator.evaluate(presented: certificates, identity: name, at: date) }
        if json {
            Terminal.print(JSONWriter.text(of: AgentEvents.TrustVerdict(verdict)))
        } else {
            Terminal.print(TrustText(style: .standardOutput()).text(verdict, for: host ?? ip))
        }
        guard verdict.isAccepted else {
            throw ExitCode(verdict.code == .tlsRootsUnavailable ? ExitStatus.tryAgain : ExitStatus.finding)
        }
    }

    private func answerBatch() throws {
        guard let error = Blocking.run({ await TrustBatch().run() }) else { return }
        Terminal.printError("reachagent: standard input cannot be read: \(error)")
        throw ExitCode(ExitStatus.tryAgain)
    }

    private func identity() throws -> ServerIdentity? {
        if let ip {
            guard let bytes = IPAddressText.bytes(of: ip) else {
                throw ValidationError(
                    "'\(ip)' is not a valid IP address; accepted are forms like 192.0.2.7 and 2001:db8::7"
                )
            }
            return .address(IPAddressText.unmapped(bytes))
        }
        guard let host else { return nil }
        do throws(RequestedHost.Flaw) {
            return try RequestedHost(host).identity
        } catch {
            throw ValidationError(error.description)
        }
    }

    private func presented() throws -> [[UInt8]] {
        do throws(SecurityPolicyError) {
            var certificates: [[UInt8]] = []
            for path in [certificate ?? leaf, intermediates].compactMap(\.self) {
                certificates += try CertificateFile.certificates(at: path)
            }
            return certificates
        } catch {
            Terminal.printError("reachagent: \(error)")
            throw ExitCode(ExitStatus.badConfiguration)
        }
    }
}

/// Times as text (RFC 3339).
enum TrustTime {
    /// Parses `2026-11-21T12:00:00Z`, optionally with an offset or with fractions; nil if the text is not a valid time.
    static func date(_ text: String) -> Date? {
        guard (20...40).contains(text.utf8.count) else { return nil }
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: text.contains("." as Character))
        return try? style.parse(text)
    }

    static func argument(_ text: String) throws -> Date {
        guard let date = date(text) else {
            throw ValidationError("'\(text)' is not a valid time; accepted are forms like 2026-11-21T12:00:00Z")
        }
        return date
    }
}
