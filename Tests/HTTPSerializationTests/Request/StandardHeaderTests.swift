import CheckResults
import HTTPSerialization
import Testing

@Suite
struct StandardHeaderTests {
    @Test(arguments: [
        ("reachagent", "1.2.3", "Linux 6.12.4; x86_64", "reachagent/1.2.3 (Linux 6.12.4; x86_64)"),
        ("Ünïcødé Œuvre", "1", "Linux", "UnicodeOEuvre/1 (Linux)"),
        ("Straße", "v1 beta", "", "Strasse/v1beta"),
        ("a\r\nX: y", "1\n", "(x)\\\u{0}", "aXy/1 (x)"),
        ("到達", "", "", "unknown"),
    ])
    func `the user agent is a product and a comment in ASCII`(
        product: String,
        version: String,
        system: String,
        text: String
    ) {
        #expect(UserAgent.value(product: product, version: version, system: system) == text)
    }

    /// By Unicode's names, which the agent's program does not have.
    @Test
    func `a Latin letter is the letter of ASCII that its name has, without marks`() {
        let latin = (UInt32(0x80)...0x1DFFF).compactMap(Unicode.Scalar.init).filter {
            $0.properties.name?.hasPrefix("LATIN ") ?? false
        }
        #expect(latin.count > 1000)
        for scalar in latin {
            let name = UserAgent.value(product: "a\(Character(scalar))", version: "", system: "")
            #expect(name == "a\(lettersOfName(of: scalar))", "\(scalar.properties.name ?? "")")
        }
    }

    private func lettersOfName(of scalar: Unicode.Scalar) -> String {
        if scalar == "ß" { return "ss" }
        let words = (scalar.properties.name ?? "").split(separator: " ")
        guard words.count >= 4, ["LETTER", "LIGATURE"].contains(words[2]), words[3].utf8.count <= 2,
            words.count == 4 || words[4] == "WITH"
        else { return "" }
        return words[1] == "SMALL" ? words[3].lowercased() : words[1] == "CAPITAL" ? String(words[3]) : ""
    }

    @Test
    func `the system is named by its kernel`() {
        #expect(UserAgent.currentSystem.hasPrefix("Linux "))
        #expect(UserAgent.currentSystem.contains("; "))
    }

    @Test(arguments: [
        ([], nil),
        (["de-DE"], "de-DE;q=1"),
        (["de", "en-GB", "fr"], "de;q=1, en-GB;q=0.9, fr;q=0.8"),
        (
            ["aa", "bb", "cc", "dd", "ee", "ff", "gg"],
            "aa;q=1, bb;q=0.9, cc;q=0.8, dd;q=0.7, ee;q=0.6, ff;q=0.5"
        ),
        (["de\r\nX: y", "a b", "", "-", "d", "de-", "abcdefghi", "en"], "en;q=1"),
    ])
    func `at most six languages are accepted, each a tenth less`(languages: [String], value: String?) {
        #expect(AcceptLanguage.value(of: languages) == value)
    }

    @Test(arguments: [
        ([:], []),
        (["LANG": "de_DE.UTF-8"], ["de-DE"]),
        (["LANG": "de_DE.UTF-8", "LC_ALL": "en_GB@euro"], ["en-GB"]),
        (["LANG": "de_DE.UTF-8", "LC_ALL": ""], ["de-DE"]),
        (["LANG": "de_DE", "LC_MESSAGES": "fr"], ["fr"]),
        (["LANG": "de_DE", "LANGUAGE": "de_AT:de::en:de"], ["de-AT", "de", "en"]),
        (["LANG": "C", "LANGUAGE": "de"], []),
        (["LANG": "C.UTF-8"], []),
        (["LANG": "de_DE", "LC_ALL": "POSIX"], []),
        (["LANGUAGE": "de"], []),
        (["LANG": "de_DE", "LANGUAGE": ":"], ["de-DE"]),
        (["LANG": "../../etc"], []),
    ])
    func `the languages follow gettext's variables`(environment: [String: String], languages: [String]) {
        #expect(AcceptLanguage.languages(environment: environment) == languages)
    }

    @Test
    func `without a language the standard header has no language field`() {
        let some = RequestSerializer.standardHeaders(product: "p", version: "1", languages: ["de"])
        #expect(some.fields.map(\.name) == ["User-Agent", "Accept-Language"])
        let none = RequestSerializer.standardHeaders(product: "p", version: "1")
        #expect(none.fields.map(\.name) == ["User-Agent"])
    }
}
