internal import AgentEvents
internal import ForeignText
internal import Hooks

/// The output and the end of a hook, for people.
enum HookRunText {
    /// The output, line by line; empty when there was none.
    static func output(_ output: String?) -> String {
        guard let output else { return "" }
        var lines = output.split(separator: "\n", omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines.map { line in ForeignText.line(line.hasSuffix("\r") ? String(line.dropLast()) : String(line)) }
            .joined(separator: "\n")
    }

    /// A failed attempt of a webhook: `attempt 1 of 6 failed: 503; wanted 200-299 [http_status]; next in 1 s`.
    static func retry(_ retry: WebhookRetry) -> String {
        let pause = SummaryText.lasting(milliseconds: retry.pause.milliseconds)
        return ForeignText.line(
            "attempt \(retry.number) of \(retry.maximum) failed: \(retry.detail) [\(retry.code)]; next in \(pause)"
        )
    }

    /// The end: `hook vpn failed: exit status 3 after 1.2 s`.
    static func ending(_ completion: HookCompletion) -> String {
        var text = ForeignText.line("hook \(completion.hook) \(completion.ending.words)")
        if let bytes = completion.outputBytes, completion.outputOmittedBytes != nil {
            text += "; of its \(ByteCountText.of(UInt64(clamping: bytes))) of output the middle is left out"
        }
        if let refusal = completion.ending.refusal { text += "\nto do: \(HookText.safe(refusal.remedy))" }
        return text
    }
}
