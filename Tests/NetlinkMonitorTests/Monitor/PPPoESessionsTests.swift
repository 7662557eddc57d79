internal import Testing

@testable internal import NetlinkMonitor

struct PPPoESessionsTests {
    @Test("the list of PPPoE sessions is read line by line")
    func sessions() {
        let text = """
            Id       Address              Device
            00000002 02:00:00:00:00:01     eth0
            0000000A 02:00:00:00:00:02 eth1.7
            damaged
            """
        #expect(PPPoESessions.interfaces(in: text.utf8) == ["eth0", "eth1.7"])
        #expect(PPPoESessions.interfaces(in: "".utf8).isEmpty)
        #expect(PPPoESessions.interfaces(procfs: "/nonexistent").isEmpty)
    }
}
