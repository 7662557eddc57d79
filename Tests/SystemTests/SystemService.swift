import Foundation
import ProbeTestKit

/// The Debian package in the VM lab's guest with systemd.
enum SystemService {
    /// What a scenario wrote down: each step's members as text, whatever they were in JSON.
    struct Fact: Decodable {
        private let members: [String: String]

        /// A step that was not made.
        init() { members = [:] }

        init(from decoder: any Decoder) throws {
            let values = try decoder.singleValueContainer().decode([String: Value].self)
            members = values.mapValues(\.text)
        }

        subscript(_ name: String) -> String { members[name] ?? "" }
        var step: String { self["step"] }
        var status: Int? { Int(self["status"]) }
        var out: String { self["out"] }
        var err: String { self["err"] }
        func number(_ name: String) -> Int? { Int(self[name]) }

        private struct Value: Decodable {
            let text: String

            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                if let number = try? container.decode(Double.self) {
                    text = number.rounded() == number ? String(Int(number)) : String(number)
                } else {
                    text = try container.decode(String.self)
                }
            }
        }
    }

    /// What one boot brought back.
    struct Evidence {
        let facts: [Fact]
        let result: SystemLab.Result

        /// The first step of this name; one without members where the scenario made none, so that what is expected of it
        /// fails by itself.
        subscript(_ step: String) -> Fact { all(step).first ?? Fact() }
        func all(_ step: String) -> [Fact] { facts.filter { $0.step == step } }
        func lines(_ file: String) throws -> [String] { try result.lines(file) }

        /// The `seq` of each event that the agent's journal has.
        func numbers(_ file: String) throws -> [Int] {
            struct Line: Decodable { let seq: Int }
            return try lines(file).map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)).seq }
        }
    }

    /// The package under test; `nil` where none was built.
    private static let package: String? = {
        if let named = ProcessInfo.processInfo.environment["REACHAGENT_PACKAGE"] { return named }
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: ".build/package")
        let built = try? FileManager.default.contentsOfDirectory(atPath: folder.path()).filter {
            $0.hasPrefix("reachagent_") && $0.hasSuffix(".deb")
        }
        return built?.max().map { folder.appending(path: $0).path() }
    }()

    /// Why these tests cannot run; `nil` when they can.
    static let obstacle: String? = {
        if ProcessInfo.processInfo.environment["REACHAGENT_SYSTEM_TESTS"] != nil, package == nil {
            return "there is no package in .build/package: `make package` builds it"
        }
        return SystemLab.systemObstacle
    }()

    /// The service's life, and the package's: each is played once, however many tests look at it.
    static let service = Result { try play("service", seconds: 900) }
    static let packageLife = Result { try play("service-package", seconds: 900) }

    private static func play(_ scenario: String, seconds: Int) throws -> Evidence {
        let folder = FileManager.default.temporaryDirectory.appending(path: "payload-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = try [package].compactMap(\.self) + certificates(in: folder)
        let result = try SystemLab.run(scenario, guest: .system, files: files, seconds: seconds)
        let facts = try result.lines("steps.jsonl").map { try JSONDecoder().decode(Fact.self, from: Data($0.utf8)) }
        return Evidence(facts: facts, result: result)
    }

    /// A root and the certificate that it gave a web server.
    private static func certificates(in folder: URL) throws -> [String] {
        let authority = try TestAuthority.standard()
        let leaf = try authority.intermediate.issue(
            CertificateTemplate.server(names: ["web.test"]).with {
                $0.notBefore = Date(timeIntervalSinceNow: -30 * 86_400)
                $0.notAfter = Date(timeIntervalSinceNow: 300 * 86_400)
            }
        )
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let texts = [
            "root.pem": authority.root.pem, "server.pem": leaf.pem + authority.intermediate.pem,
            "server.key": leaf.key.pkcs8PEM,
        ]
        return try texts.map { name, text in
            let place = folder.appending(path: name).path()
            try text.write(toFile: place, atomically: true, encoding: .utf8)
            return place
        }
    }
}
