internal import AgentEvents
internal import ForeignText
internal import Logging

/// Tells the log how a hook's run went, with what the hook wrote.
struct HookLog: Sendable {
    /// The longest line of a hook's that is logged, in characters.
    private static let longestLine = 1024

    private let logger = AgentLogger.make()

    func note(_ completion: HookCompletion) {
        let isSuccess = completion.ending.isSuccess
        logger.log(level: isSuccess ? .info : .warning, "\(completion.summary)")
        // Whoever lets a hook say something wants to read it, also when all went well.
        let level: Logger.Level = isSuccess ? .notice : .warning
        for line in (completion.output ?? "").split(whereSeparator: \.isNewline) {
            let text = ForeignText.shown(String(line), limit: Self.longestLine)
            logger.log(level: level, "hook \(completion.hook): \(text)")
        }
    }
}
