import ArgumentParser
import ProbeTestKit
import Probes
import Testing

@testable import ReachAgent

struct PolicyOptionsTests {
    private static let pin = "sha256//QdMnwTiZ6bH25P4a4Zi14TEr4p8DmVsxemNZ18E5ifU="
    private static let next = "sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

    @Test func `backup pins are listed beside the others in the policy`() throws {
        let options = try PolicyOptions.parse([
            "--pin-mode", "public-key", "--pin-spki", Self.pin, "--pin-backup-spki", Self.next,
        ])
        let policy = try options.trustEvaluator().policy
        #expect(policy.pinnedPublicKeys.map(\.description) == [Self.pin])
        #expect(policy.backupPublicKeys.map(\.description) == [Self.next])
        #expect(options.given == ["--pin-mode", "--pin-spki", "--pin-backup-spki"])
    }

    @Test func `depth and strictness reach the evaluator`() throws {
        let options = try PolicyOptions.parse(["--max-depth", "2", "--strict-certificates"])
        let evaluator = try options.trustEvaluator()
        #expect(evaluator.maximumPathLength == 2)
        #expect(evaluator.policy.isStrict)
        #expect(options.given == ["--strict-certificates", "--max-depth"])
        #expect(throws: (any Error).self) { try PolicyOptions.parse(["--max-depth", "17"]) }
        #expect(throws: (any Error).self) { try PolicyOptions.parse(["--max-depth=-1"]) }
    }

    @Test(arguments: [
        (["--pin-backup-spki", next], "without '--pin-mode'"),
        (["--pin-mode", "certificate", "--pin-backup-spki", next], "'--pin-backup-spki' only counts with"),
        (["--pin-mode", "public-key", "--pin-backup-spki", "sha256//x"], "is not a public key pin"),
    ])
    func `a backup pin that would not count is an error`(arguments: [String], part: String) {
        let error = #expect(throws: (any Error).self) { try PolicyOptions.parse(arguments) }
        #expect(error.map { PolicyOptions.message(for: $0).contains(part) } == true)
    }

    @Test(arguments: [
        ["--ca-file", "ca.pem"], ["--pin-mode", "public-key", "--pin-spki", pin], ["--allow-invalid-certificates"],
        ["--no-validate-domain-name"], ["--afnetworking-compatible"], ["--strict-certificates"], ["--max-depth", "2"],
        ["--crl", "list.pem"], ["--at", "2027-01-01T00:00:00Z"],
    ])
    func `an option that no question of a batch is evaluated with is an error`(arguments: [String]) {
        let error = #expect(throws: (any Error).self) { try TrustEvaluateCommand.parse(["--batch"] + arguments) }
        let message = error.map { TrustEvaluateCommand.message(for: $0) } ?? ""
        #expect(message.contains("'\(arguments[0])' has no meaning with '--batch'"), "\(message)")
    }
}
