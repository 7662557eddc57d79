internal import ArgumentParser

/// `reachagent trust`: questions about certificates.
struct TrustCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trust",
        abstract: "Evaluate certificates as a probe does.",
        discussion: "Nothing is sent: the certificates are those of files.",
        subcommands: [TrustEvaluateCommand.self]
    )
}
