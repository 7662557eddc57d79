import AgentTestKit
import Foundation
import Testing

/// `reachagent diagnose --output`: the file, which only its user can read.
@Suite struct DiagnosisFileTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path + "/report.txt" }

    init() throws { directory = try TemporaryDirectory() }

    private func diagnose() async throws -> FinishedCommand {
        // The shortest time: only the file is examined.
        try await FinishedCommand.run(["diagnose", "--timeout", "600ms", "--output", path])
    }

    private func mode() throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test(arguments: [nil, String(repeating: "former content\n", count: 10_000)])
    func `a file of this user is replaced, and is private`(former: String?) async throws {
        if let former {
            try directory.file("report.txt", former)
            try #require(chmod(path, 0o666) == 0)
        }
        let command = try await diagnose()
        #expect(command.error.contains("the evidence is in \(path)"), "\(command.error)")
        #expect(try mode() == 0o600)
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(!text.isEmpty && !text.contains("former content"))
    }

    @Test(arguments: ["another owner", "a second name"])
    func `a file that another user could read or change is not written to`(reason: String) async throws {
        try directory.file("report.txt", "another's")
        if reason == "a second name" {
            try #require(link(path, path + ".other") == 0)
        } else {
            guard geteuid() == 0 else { return }
            try #require(chown(path, 5, 6) == 0)
        }
        let command = try await diagnose()
        #expect(command.status == 77)
        #expect(command.error.contains("belongs to another user, or has a second name"), "\(command.error)")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "another's")
    }

    @Test func `a symbolic link is not followed`() async throws {
        let target = try directory.file("target", "another's")
        try #require(symlink(target, path) == 0)
        #expect(try await diagnose().status == 75)
        #expect(try String(contentsOfFile: target, encoding: .utf8) == "another's")
    }
}
