public import EventEnvelope

extension StatusReply {
    /// A hook, and how it fares.
    public struct Hook: Decodable, Sendable, Hashable {
        /// The hook's name.
        public let name: String?
        /// What it is: `folder`, `command` or `webhook`.
        public let kind: String?
        /// How many runs have ended.
        public let runs: UInt64?
        /// How many of them failed.
        public let failedRuns: UInt64?
        /// How many events were dropped because newer ones replaced them.
        public let superseded: UInt64?
        /// How many runs there are at present.
        public let running: Int?
        /// How many events wait.
        public let waiting: Int?
        /// How many times in a row it failed.
        public let failures: Int?
        /// How much longer it is left alone because of them.
        public let pause: Duration?
        /// How the last run went.
        public let last: HookRun?

        private enum CodingKeys: String, CodingKey {
            case kind, runs, superseded, running, waiting, failures, last
            case name = "hook"
            case failedRuns = "failed_runs"
            case pause = "paused_ms"
        }

        /// Reads a hook.
        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            name = members.value(.name)
            kind = members.value(.kind)
            runs = members.value(.runs)
            failedRuns = members.value(.failedRuns)
            superseded = members.value(.superseded)
            running = members.value(.running)
            waiting = members.value(.waiting)
            failures = members.value(.failures)
            pause = members.milliseconds(.pause)
            last = members.value(.last)
        }
    }

    /// How a run of a hook went.
    public struct HookRun: Decodable, Sendable, Hashable {
        /// How it ended: `succeeded`, `exited`, `signaled`, `timed_out`, `refused`, `not_started`, `stopped`, `undelivered`.
        public let outcome: String?
        /// The program's exit status.
        public let exitStatus: Int32?
        /// The signal that ended the program.
        public let signal: String?
        /// Why the file was not run.
        public let refusal: HookRefusal?
        /// Why no process could be made.
        public let reason: String?
        /// The code of the check that a request came to.
        public let code: String?
        /// The particulars of that check, for people.
        public let detail: String?
        /// The status of the last response.
        public let httpStatus: Int?
        /// How many times a request was sent.
        public let attempts: Int?
        /// How long it took.
        public let duration: Duration?
        /// When it ended.
        public let ended: Timestamp?
        /// The type of the event that it ran for, without the prefix.
        public let trigger: String?
        /// The number of that event.
        public let triggerSequence: UInt64?
        /// The last line of what it wrote.
        public let output: String?

        private enum CodingKeys: String, CodingKey {
            case outcome, signal, refusal, reason, code, detail, attempts, ended, trigger, output
            case exitStatus = "exit_status"
            case httpStatus = "http_status"
            case duration = "duration_ms"
            case triggerSequence = "trigger_seq"
        }

        /// Reads how a run went.
        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            outcome = members.value(.outcome)
            exitStatus = members.value(.exitStatus)
            signal = members.value(.signal)
            refusal = members.value(.refusal)
            reason = members.value(.reason)
            code = members.value(.code)
            detail = members.value(.detail)
            httpStatus = members.value(.httpStatus)
            attempts = members.value(.attempts)
            duration = members.milliseconds(.duration)
            ended = members.timestamp(.ended)
            trigger = members.value(.trigger)
            triggerSequence = members.value(.triggerSequence)
            output = members.value(.output)
        }
    }

    /// Why the file of a hook is not run.
    public struct HookRefusal: Decodable, Sendable, Hashable {
        /// The code (docs/hooks.md).
        public let code: String?
        /// The file or folder that is at fault.
        public let path: String?
        /// What was found.
        public let evidence: String?
        /// What mends it.
        public let remedy: String?

        private enum CodingKeys: String, CodingKey { case code, path, evidence, remedy }

        /// Reads a refusal.
        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            code = members.value(.code)
            path = members.value(.path)
            evidence = members.value(.evidence)
            remedy = members.value(.remedy)
        }
    }
}
