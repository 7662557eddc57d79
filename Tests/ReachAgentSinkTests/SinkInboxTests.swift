import Testing

@testable import ReachAgentSink

/// The inbox of a sink's thread.
@Suite struct SinkInboxTests {
    @Test(arguments: ["clock", "agent"])
    func `a change of the clock and a reload of the agent are taken once`(change: String) throws {
        let inbox = try SinkInbox(machine: nil)
        func isTaken() -> Bool {
            let contents = inbox.take()
            return change == "clock" ? contents.isClockChanged : contents.isAgentReloaded
        }
        #expect(!isTaken())
        inbox.put { contents in
            if change == "clock" { contents.isClockChanged = true } else { contents.isAgentReloaded = true }
        }
        #expect(isTaken())
        #expect(!isTaken())
    }

    @Test func `only the last presence of the agent counts, and only once`() throws {
        let inbox = try SinkInbox(machine: nil, isAgentConnected: true)
        #expect(inbox.take().isAgentConnected == true)
        #expect(inbox.take().isAgentConnected == nil)
        inbox.put { $0.isAgentConnected = false }
        inbox.put { $0.isAgentConnected = true }
        #expect(inbox.take().isAgentConnected == true)
    }

    @Test func `the end of a sink, and its reason, stay in the inbox`() throws {
        let inbox = try SinkInbox(machine: nil)
        inbox.put { ($0.isStopping, $0.isReplaced, $0.abandonedTopics) = (true, true, ["reachagent/edge-7/state"]) }
        for _ in 0..<2 {
            let content = inbox.take()
            #expect(content.isStopping && content.isReplaced)
            #expect(content.abandonedTopics == ["reachagent/edge-7/state"])
        }
    }
}
