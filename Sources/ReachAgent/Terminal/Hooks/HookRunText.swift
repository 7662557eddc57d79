internal import EventSchema
internal import ForeignText
internal import Hooks

/// What a hook wrote, and how it ended, for people.
enum HookRunText {
    /// What it wrote, line by line; empty when it wrote nothing.
    static func output(_ output: HookOutput) -> String {
        guard output.bytes > 0 else { return "" }
        var lines = output.text.split(separator: "\n", omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines.map { line in ForeignText.line(line.hasSuffix("\r") ? String(line.dropLast()) : String(line)) }
            .joined(separator: "\n")
    }

    /// How it ended: `hook vpn failed: exit status 3 after 1.2 s`.
    static func ending(_ completion: HookCompletion) -> String {
        var text = ForeignText.line("hook \(completion.hook) \(HookEnding(completion).words)")
        let output = completion.output
        if output.omittedBytes > 0 {
            text += "; of its \(ByteCountText.of(UInt64(clamping: output.bytes))) of output the middle is left out"
        }
        if case .refused(let refusal) = completion.outcome { text += "\nto do: \(HookText.safe(refusal.remedy))" }
        return text
    }
}
