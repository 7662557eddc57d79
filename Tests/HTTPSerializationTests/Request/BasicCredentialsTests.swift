import AgentTestKit
import CheckResults
import Foundation
import HTTPSerialization
import Testing

@Suite
struct BasicCredentialsTests {
    private func authorization(
        _ credentials: BasicCredentials?,
        headers: HeaderFields = HeaderFields()
    ) throws -> String? {
        var serializer = RequestSerializer()
        serializer.credentials = credentials
        return try serializer.serialize(ProbeRequest(headers: headers), to: HTTPURL(parsing: "http://h/"))
            .header("Authorization")
    }

    @Test(arguments: [
        ("Aladdin", "open sesame", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
        ("test", "123£", "Basic dGVzdDoxMjPCow=="),
        ("", "", "Basic Og=="),
        ("u", "a:b", "Basic dTphOmI="),
    ])
    func `credentials are sent in Base64 of UTF-8`(user: String, password: String, value: String) throws {
        #expect(try authorization(BasicCredentials(user: user, password: password)) == value)
    }

    @Test
    func `cleared credentials are not sent, the request's win, and a field of its own wins over all`() throws {
        let credentials = try BasicCredentials(user: "a", password: "b")
        var serializer = RequestSerializer()
        serializer.credentials = credentials
        serializer.credentials = nil
        let url = try HTTPURL(parsing: "http://h/")
        #expect(try serializer.serialize(ProbeRequest(), to: url).header("Authorization") == nil)
        serializer.credentials = credentials
        let other = ProbeRequest(credentials: try BasicCredentials(user: "c", password: "d"))
        #expect(try serializer.serialize(other, to: url).header("Authorization") == "Basic Yzpk")
        var own = HeaderFields()
        try own.set("authorization", "Bearer x")
        #expect(try authorization(credentials, headers: own) == "Bearer x")
    }

    @Test
    func `a colon in the user name and control characters are errors that do not show the password`() {
        for (user, password) in [("us:er", "secret"), ("u\r", "secret"), ("u", "secret\n"), ("u", "secret\u{0}")] {
            let error = #expect(throws: RequestError.self) { try BasicCredentials(user: user, password: password) }
            #expect(error?.code == .badCredentials)
            #expect(error.map { "\($0)".contains("secret") } == false)
        }
    }

    @Test
    func `no description and no mirror shows the password`() throws {
        let credentials = try BasicCredentials(user: "user", password: "secret")
        let request = ProbeRequest(credentials: credentials)
        let sent = try RequestSerializer().serialize(request, to: HTTPURL(parsing: "http://h/"))
        var dumped = ""
        dump(credentials, to: &dumped)
        dump(request, to: &dumped)
        dump(sent, to: &dumped)
        dumped += "\(credentials) \(String(reflecting: credentials)) \(request) \(sent) \(String(reflecting: sent))"
        #expect(!dumped.contains("secret"))
        #expect(!dumped.contains("Basic"))
        #expect("\(credentials)" == "user:•••")
        #expect(String(reflecting: credentials) == "user:•••")
    }

    @Test(arguments: [
        ("user:password\n", "user", "password"),
        ("user:password", "user", "password"),
        ("user:password\r\n", "user", "password"),
        ("user:pass:word \nsecond:line\n", "user", "pass:word "),
        ("user:\n", "user", ""),
        ("jürgen:geheim€\n", "jürgen", "geheim€"),
    ])
    func `the first line of a file is read`(text: String, user: String, password: String) throws {
        let directory = try TemporaryDirectory()
        let credentials = try BasicCredentials(file: directory.file("auth", text.utf8))
        #expect(credentials == (try BasicCredentials(user: user, password: password)))
    }

    @Test(arguments: [
        (Array("secret\n".utf8), "does not hold 'user:password' in its first line"),
        ([], "does not hold 'user:password' in its first line"),
        (Array("\nuser:secret".utf8), "does not hold 'user:password' in its first line"),
        (Array("user:".utf8) + [0xFF, 0xFE], "is not in UTF-8"),
        (Array(repeating: UInt8(ascii: "a"), count: 4097), "is longer than 4096 bytes"),
    ])
    func `a file without usable credentials is an error that names it`(bytes: [UInt8], reason: String) throws {
        let directory = try TemporaryDirectory()
        let path = try directory.file("auth", bytes)
        #expect(throws: RequestError.file(path: path, reason: reason)) { try BasicCredentials(file: path) }
    }

    @Test(arguments: [(0o600, true), (0o400, true), (0o640, true), (0o644, false), (0o602, false), (0o666, false)])
    func `a file that others can read or write is rejected`(mode: Int, isAccepted: Bool) throws {
        let directory = try TemporaryDirectory()
        let path = try directory.file("auth", "user:secret".utf8, mode: mode)
        if isAccepted {
            #expect(try BasicCredentials(file: path).user == "user")
        } else {
            #expect(
                throws: RequestError.file(path: path, reason: "can be read or written by others: use chmod o-rw")
            ) { try BasicCredentials(file: path) }
        }
    }

    @Test
    func `a missing file, or a path that is not a regular file, is an error`() throws {
        let directory = try TemporaryDirectory()
        let fifo = directory.path + "/fifo"
        #expect(mkfifo(fifo, 0o600) == 0)
        for path in [directory.path, directory.path + "/missing", fifo, "", "/etc/hostname\u{0}.txt"] {
            let error = #expect(throws: RequestError.self) { try BasicCredentials(file: path) }
            #expect(error?.code == .badURL)
        }
    }
}
