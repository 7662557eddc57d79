internal import EventEnvelope
internal import EventSchema
internal import Hooks
internal import Logging

/// Tells the log how a hook's run went, with what the hook wrote.
struct HookLog: Sendable {
    private let logger = AgentLogger.make()

    func note(_ completion: HookCompletion) {
        let isSuccess = completion.outcome == .succeeded
        logger.log(level: isSuccess ? .info : .warning, "\(EventDraft(completion).summary)")
        let level: Logger.Level = isSuccess ? .notice : .warning
        let lines = completion.output.text.split(whereSeparator: \.isNewline)
        for line in lines { logger.log(level: level, "hook \(completion.hook): \(SafeText.of(String(line), limit: 1024))") }
        if completion.output.omittedBytes > 0 {
            logger.log(level: level, "hook \(completion.hook): \(completion.output.omittedBytes) bytes of its output are left out")
        }
    }
}
