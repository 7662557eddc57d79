import Testing

@testable import PortAccess

/// Files of passwords: what is accepted, what is refused and how, and who may pass.
@Suite struct PasswordFileTests {
    /// Hashes that other programs made: `htpasswd -B`, `mkpasswd -m sha512crypt` and `mkpasswd -m yescrypt`.
    private static let file = """
        # the operators
        alice:$2y$05$abcdefghijklmnopqrstuuOQiyCxlgf/oeuTqixKmWdcYUh4Hjl0a

        bob:$6$rounds=1000$abcdefgh$nhYjN017qxiYztzyUpZtPnUQcnLy62KsunSLHNeLahp2EHPlAKmFFlrjEwSXGo2kgY5hR2.peKEg2VGUqIJJu1\r
        carol:$y$j75$abcdefgh$BNDMLQXNfxYvp1kwneELSFVpSGYRoN6/y0Pa9exxy//
        """

    @Test(
        arguments: [
            ("alice", "secret", true), ("bob", "secret", true), ("carol", "geheim", true),
            ("alice", "Secret", false), ("alice", "", false), ("bob", "geheim", false), ("dave", "secret", false),
            ("Alice", "secret", false), ("alice ", "secret", false), ("", "secret", false),
            ("alice", "secret\0", false), ("alice", String(repeating: "x", count: 300), false),
            (String(repeating: "x", count: 300), "secret", false),
        ]
    )
    func `a user passes with the password`(user: String, password: String, passes: Bool) throws {
        let file = try PasswordFile(Array(Self.file.utf8))
        #expect(file.accepts(user: Array(user.utf8), password: Array(password.utf8)) == passes)
    }

    @Test(
        arguments: [
            ("", "has no user"), ("# nobody\n", "has no user"),
            ("alice", "line 1: expected 'user:hash'"),
            ("\nalice:secret", "line 2: unknown hash method"),
            ("alice:", "line 1: unknown hash method"),
            ("alice:$apr1$abcdefgh$abcdefghijklmnopqrstuv", "line 1: unknown hash method"),
            ("alice:$1$abcdefgh$cHJi5PXp/ki/ktXzqlk6I1", "line 1: the hash method is weak"),
            ("alice:abJnggxhB/yWI", "line 1: the hash method is weak"),
            ("alice:$2y$05$abcdefghijklmnopqrstuu", "line 1: the hash is not complete"),
            (":$6$a$b", "line 1: a user has 1 to 256 bytes"),
            ("a\tb:$6$a$b", "line 1: a user has 1 to 256 bytes"),
            ("a:$6$a$b\na:$6$a$b", "line 2: the user is there already"),
            ("a:$6$a$b c", "line 1: unknown hash method"),
        ]
    )
    func `an invalid file is an error with the line, but without its contents`(text: String, message: String) {
        let error = #expect(throws: PortAccessError.self) { try PasswordFile(Array(text.utf8)) }
        #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
        for part in ["secret", "abcdefgh", "cHJi5PXp", "abJnggxhB"] {
            #expect(error?.description.contains(part) == false, "\(part)")
        }
    }

    @Test func `an unknown name costs as much as that of any user, and always the same`() throws {
        let file = try PasswordFile(Array(Self.file.utf8))
        let costs = (0..<200).map { file.comparison(for: Array("nobody\($0)".utf8)) }
        #expect(costs.allSatisfy { !$0.isKnown } && Set(costs.map(\.index)) == [0, 1, 2])
        #expect(costs.map(\.index) == (0..<200).map { file.comparison(for: Array("nobody\($0)".utf8)).index })
        #expect(["alice", "bob", "carol"].map { file.comparison(for: Array($0.utf8)).index } == [0, 1, 2])
    }

    @Test func `too many users are an error`() {
        let lines = (0...PasswordFile.maximumUsers).map { "user\($0):$6$a$b" }.joined(separator: "\n")
        #expect(throws: PortAccessError.self) { try PasswordFile(Array(lines.utf8)) }
    }

    @Test func `neither a description nor a mirror shows a hash`() throws {
        let file = try PasswordFile(Array(Self.file.utf8))
        var dumped = ""
        dump(file, to: &dumped)
        for text in [dumped, "\(file)", String(reflecting: file)] { #expect(!text.contains("$2y$")) }
        #expect("\(file)" == "3 users")
    }

    @Test func `files are equal when their bytes are`() throws {
        let file = try PasswordFile(Array(Self.file.utf8))
        #expect(file == (try PasswordFile(Array(Self.file.utf8))))
        #expect(file != (try PasswordFile(Array(Self.file.utf8) + [10])))
    }
}
