import Testing

@testable import Configuration

@Suite struct CredentialTests {
    private let directory = CredentialDirectory(path: "/run/credentials/x.service")

    @Test(arguments: [
        ("credential:webhook", "/run/credentials/x.service/webhook" as String?),
        ("credential:a.b-c_d", "/run/credentials/x.service/a.b-c_d"),
        ("credential:...", "/run/credentials/x.service/..."),
        ("/etc/credential:webhook", nil), ("secrets/webhook", nil), ("credentials/webhook", nil), ("Credential:x", nil),
    ])
    func `a name refers to a file that the service manager passes`(text: String, path: String?) throws {
        #expect(try directory.path(of: text) == path)
    }

    @Test(arguments: ["", ".", "..", "../shadow", "a/b", "/etc/shadow", String(repeating: "n", count: 256)])
    func `an invalid file name is an error`(name: String) {
        #expect(throws: ValueError.self) { try directory.path(of: "credential:\(name)") }
    }

    @Test(arguments: [
        ("credential:key", "/c/key" as String?), ("credential:../key", nil), ("key", "/etc/reachagent/key"),
    ])
    func `every path of a configuration takes the form`(value: String, path: String?) throws {
        let node = Node(value: .string(value), origin: Origin(file: "/etc/reachagent/reachagent.toml"))
        var errors: [ValueError] = []
        let read = ValueFormat<String>.path(credentials: { CredentialDirectory(path: "/c") }).read(node, &errors)
        #expect(read == path)
        #expect(errors.isEmpty == (path != nil))
    }
}
