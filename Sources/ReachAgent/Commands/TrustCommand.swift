internal import ArgumentParser

/// `reachagent trust`: questions about certificates.
struct TrustCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trust",
        abstract: "Evaluate certificates as a probe does.",
        subcommands: [TrustEvaluateCommand.self]
    )
}
