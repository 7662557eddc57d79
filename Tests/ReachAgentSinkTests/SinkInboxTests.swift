import Testing

@testable import ReachAgentSink

/// The inbox of a sink's thread.
@Suite struct SinkInboxTests {
    @Test func `a change of the clock is taken once`() throws {
        let inbox = try SinkInbox(machine: nil)
        #expect(!inbox.take().isClockChanged)
        inbox.put { $0.isClockChanged = true }
        #expect(inbox.take().isClockChanged)
        #expect(!inbox.take().isClockChanged)
    }

    @Test func `a reload of the agent is taken once`() throws {
        let inbox = try SinkInbox(machine: nil)
        #expect(!inbox.take().isAgentReloaded)
        inbox.put { $0.isAgentReloaded = true }
        #expect(inbox.take().isAgentReloaded)
        #expect(!inbox.take().isAgentReloaded)
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
        inbox.put { ($0.isStopping, $0.isReplaced) = (true, true) }
        for _ in 0..<2 {
            let content = inbox.take()
            #expect(content.isStopping && content.isReplaced)
        }
    }
}
