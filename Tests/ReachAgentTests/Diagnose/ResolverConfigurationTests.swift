import NetlinkMonitor
import Testing

@testable import ReachAgent

/// The configuration of the C library's resolver.
@Suite struct ResolverConfigurationTests {
    @Test func `name servers, the last search line and all options are read, comments are not`() {
        let text = """
            # nameserver 192.0.2.1
            nameserver 192.0.2.53 ; the router
            search a.test
            nameserver fe80::1%eth0
            options edns0 timeout:1
            search b.test c.test
            options rotate
            nameserver
            """
        let configuration = ResolverConfiguration(parsing: ResolverConfiguration.words(text))
        #expect(configuration.nameServers == ["192.0.2.53", "fe80::1%eth0"])
        #expect(configuration.search == ["b.test", "c.test"])
        #expect(configuration.options == ["edns0", "timeout:1", "rotate"])
        #expect(configuration.addresses == ["192.0.2.53"].compactMap { IPAddress($0) })
    }

    @Test func `the sources of host names are those of the line 'hosts'`() {
        let lines = ResolverConfiguration.words("passwd: files\nhosts:   files  dns # last\n")
        #expect(ResolverConfiguration.hosts(in: lines) == "files dns")
        #expect(ResolverConfiguration.hosts(in: []) == nil)
    }
}
