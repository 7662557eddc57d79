import NetlinkMonitor
import Testing

struct MonitorConfigurationTests {
    @Test func `further targets are dropped, however they are set`() throws {
        let targets = try (0..<200).map { try #require(IPAddress("192.0.2.\($0)")) }
        let kept = Array(targets.prefix(MonitorConfiguration.maximumTargets))
        var configuration = MonitorConfiguration(targets: targets)
        #expect(configuration.targets == kept)
        configuration.targets = []
        configuration.targets += targets
        #expect(configuration.targets == kept)
        configuration.targets.append(targets[0])
        #expect(configuration.targets == kept)
    }
}
