import CheckResults
import HTTPSerialization
import Testing

@Suite struct JSONExpectationTests {
    static let body = #"""
        {"status":{"items":[{"name":"up","n":3,"big":9007199254740993}],"ok":true,"none":null,"text":"3","empty":""},
         "a key.with [all]":1,"":2,"version":"1.0","half":0.5,"password":"hunter2","$":7}
        """#

    private func evidence(_ expectation: String, body: String = Self.body) throws -> [String] {
        let expectations = ResponseExpectations(bodyExpectations: [.json(try JSONExpectation(parsing: expectation))])
        let verdict = expectations.evaluate(ReceivedResponse(status: 200, body: Array(body.utf8)))
        #expect(verdict.findings.allSatisfy { $0.code == .httpBody })
        return verdict.findings.map(\.evidence)
    }

    @Test(arguments: [
        "status.items[0].name=up", "status.items[0].name = \"up\"", "status.items[0].name==up", "status.items[0].n=3",
        "status.items[0].n=3.0", "status.items[0].n!=4", "status.items[0].n<3.5", "status.items[0].n<=3",
        "status.items[0].n>-1", "status.items[0].n>=3", "status.items[0].big=9007199254740993",
        "status.items[0].big>9007199254740992", "status.ok=true", "status.ok!=false", "status.none=null",
        "status.ok!=null",
        "status", "status.none", "status.text=\"3\"", "status.empty=\"\"", #"["a key.with [all]"]=1"#, #"[""]=2"#,
        #"status["items"][0]["name"]=up"#, #"["sta\u0074us"].ok=true"#, "$.status.ok=true", "$[\"status\"].ok=true",
        "version=\"1.0\"",
        "half<1", "status.items[0]={\"n\":3,\"name\":\"up\",\"big\":9007199254740993}", "$", "[\"$\"]=7",
        "status.text!=\"4\"",
        "status.items!=[]", " status.ok = true ",
    ])
    func `an expected value has no finding`(expectation: String) throws {
        #expect(try evidence(expectation).isEmpty)
    }

    @Test(arguments: [
        ("status.items[0].name=down", "expected = the string 'down', got the string 'up'"),
        ("status.text=3", "expected = 3, got the string '3'"), ("status.text!=3", "expected != 3, got the string '3'"),
        ("status.text<5", "expected < 5, got the string '3'"), ("status.none<5", "expected < 5, got null"),
        ("status.ok=1", "expected = 1, got true"), ("status.ok=\"true\"", "expected = the string 'true', got true"),
        ("status.items<5", "expected < 5, got an array of 1"), ("half<0", "expected < 0, got 0.5"),
        ("half=0", "expected = 0, got 0.5"),
        ("status.items[0].big=9007199254740992", "expected = 9007199254740992, got 9007199254740993"),
        ("version=1.0", "expected = 1.0, got the string '1.0'"),
        ("status.none=\"\"", "expected = the string '', got null"),
        ("status.ok!=true", "expected != true, got true"), ("status.none!=null", "expected != null, got null"),
        ("status.name", "'status' has no member 'name'"), ("nothing=1", "the body has no member 'nothing'"),
        ("nothing!=1", "the body has no member 'nothing'"), ("nothing=null", "the body has no member 'nothing'"),
        ("status.items[1]", "'status.items' has no element 1, it is an array of 1"),
        ("status.ok.deep=1", "'status.ok' is a boolean and has no member 'deep'"),
        ("status[0]", "'status' is an object and has no element 0"),
        ("password=letmein", "expected = a string (not shown), got a string (not shown)"),
        ("status.items[0].n=tru", "expected = the string 'tru', got 3"),
    ])
    func `a mismatch names both values or the missing one`(expectation: String, wanted: String) throws {
        #expect(try evidence(expectation) == [wanted])
    }

    @Test func `the finding's subject is the path`() throws {
        let expectation = try JSONExpectation(parsing: #"a["b c"][0].token.d=1"#)
        let response = ReceivedResponse(status: 200, body: Array("{}".utf8))
        let verdict = ResponseExpectations(bodyExpectations: [.json(expectation)]).evaluate(response)
        #expect(verdict.findings.first?.subject == #"JSON body, 'a["b c"][0].token.d'"#)
    }

    @Test(arguments: ["", "<html>", "{", "{\"x\":1"])
    func `a body that is not JSON never passes`(body: String) throws {
        for expectation in ["x", "x=1", "x!=1", "x<5", "$"] {
            #expect(try evidence(expectation, body: body).first?.hasPrefix("not JSON: ") == true)
        }
    }

    @Test func `nulls that the serializer removes are still seen`() throws {
        let expectations = ResponseExpectations(
            acceptableContentTypes: nil,
            serializer: .json(removingNulls: true),
            bodyExpectations: [.json(try JSONExpectation(parsing: "a=null"))]
        )
        let verdict = expectations.evaluate(ReceivedResponse(status: 200, body: Array(#"{"a":null}"#.utf8)))
        #expect(verdict.isAccepted)
        #expect(verdict.object == .json(.object([:])))
    }

    @Test(arguments: [
        ("", 0), (".a", 0), ("a.", 2), ("a..b", 2), ("a[", 2), ("a[]", 2), ("a[x]", 2), ("a[-1]", 2), ("a[1", 3),
        ("a[1x]", 3),
        ("a[\"b]", 2), ("a[\"b\"x]", 5), ("=1", 0), ("a b", 2), ("a!1", 1), ("a!", 1), ("[1234567890]", 1),
        ("a[0]b", 4),
        ("\"a\"=1", 0), ("a[\"\\x\"]", 3),
    ])
    func `a path that cannot be read names the place`(text: String, offset: Int) {
        let error = #expect(throws: ExpectationError.self) { try JSONExpectation(parsing: text) }
        guard case .invalidPath(text, let place, _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(place == offset)
    }

    @Test(arguments: ["a=", "a= ", "a<", "a<b", "a<\"3\"", "a>=true", "a<null", "a=\"b", "a={", "a=[1", "a={x}"])
    func `a value that cannot be read is an error`(text: String) {
        let error = #expect(throws: ExpectationError.self) { try JSONExpectation(parsing: text) }
        guard case .invalidValue? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
}
