import AgentEvents
import Hooks
import Testing

@Suite
struct HookTriggerTests {
    @Test
    func `a hook cannot run for its own end`() {
        #expect(!HookTrigger.types.contains(.agentStopping))
        #expect(!HookTrigger.types.contains { !$0.isNumbered })
    }
}
