import AgentEvents
import Testing

@testable import StatePages

/// The page for people.
@Suite struct StatusPageTests {
    private static func page(_ status: AgentStatus) -> String {
        String(decoding: StatusPage.bytes(of: status), as: UTF8.self)
    }

    @Test func `the page says what the status says, without a script too`() {
        let page = Self.page(Samples.status)
        for words in [
            "<title>edge-7: partial</title>", "wlan0", "wwan0", "portal_redirect", "#48211", "1.4.0", "9 days",
        ] {
            #expect(page.contains(words), "\(words)")
        }
    }

    @Test func `text of strangers is no markup, and no link but to the web`() {
        var status = Samples.status
        status.reachability.state?.portalURL = "javascript:alert(1)"
        status.probes[0].detail = "<script>alert(1)</script>\u{202E}'\""
        let page = Self.page(status)
        #expect(!page.contains("<script>alert") && !page.contains("href=\"javascript") && !page.contains("\u{202E}"))
        #expect(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;\\u{202e}&#39;&quot;"))
        status.reachability.state?.portalURL = "https://login.example/?a=\"><b>"
        #expect(Self.page(status).contains("href=\"https://login.example/?a=&quot;&gt;&lt;b&gt;\""))
    }

    @Test func `the policy allows the page's own style and script, and no others`() {
        let policy = StatusPage.contentSecurityPolicy
        #expect(policy.hasPrefix("default-src 'none'; style-src 'sha256-"))
        #expect(!policy.contains("unsafe") && !policy.contains("\n"))
        #expect(!StatusPage.script.contains("</") && !StatusPage.style.contains("</"))
    }
}
