import Sinks
import Testing

@Suite struct SubjectTemplateReadersTests {
    @Test(arguments: [
        ("reachagent.<device>.<type>", "reachagent.*.>", "reachagent.edge-7.path.changed", "edge-7"),
        ("a.b.<device>", "a.b.*", "a.b.edge-7", "edge-7"),
        ("<device>.x.<type>", "*.>", "edge-7.x.path.changed", "edge-7"),
        ("reachagent.<device>.<type>", "reachagent.*.>", "reachagent", nil),
        ("reachagent.<device>.<type>", "reachagent.*.>", "reachagent..x", nil),
    ])
    func `a reader of all devices finds the device in a subject`(
        _ text: String,
        _ filter: String,
        _ name: String,
        _ device: String?
    ) throws {
        let template = try SubjectTemplate(text, form: .subject)
        #expect(template.allDevices == filter)
        #expect(template.device(in: name).map(String.init) == device)
    }

    @Test
    func `an MQTT topic has its own wildcards`() throws {
        let template = try SubjectTemplate("reachagent/<device>/<type>", form: .topic)
        #expect(template.allDevices == "reachagent/+/#")
        #expect(template.device(in: "reachagent/edge-7/path.changed") == "edge-7")
    }
}
