extension AgentStatus {
    /// The status of a hook.
    public struct HookStatus: Codable, Sendable, Hashable {
        /// The hook's name.
        public var hook: String
        /// `file`, `command` or `webhook`.
        public var kind: String?
        /// The number of runs that ended.
        public var runs: UInt64?
        /// The number of runs that failed.
        public var failedRuns: UInt64?
        /// The number of events that were dropped because newer ones replaced them.
        public var superseded: UInt64?
        /// The number of current runs.
        public var running: Int?
        /// The number of waiting events.
        public var waiting: Int?
        /// `true` if its runs and waiting events wait until the machine is online; `nil` otherwise.
        public var waitsForNetwork: Bool?
        /// The number of consecutive failures.
        public var failures: Int?
        /// The remaining pause because of them, in milliseconds.
        public var pausedMilliseconds: Int64?
        /// The failed attempt of a request that is being retried.
        public var attempt: Attempt?
        /// The last run.
        public var last: Run?

        private enum CodingKeys: String, CodingKey {
            case hook, kind, runs
            case failedRuns = "failed_runs"
            case superseded, running, waiting
            case waitsForNetwork = "waits_for_network"
            case failures
            case pausedMilliseconds = "paused_ms"
            case attempt, last
        }

        /// Creates a hook's status.
        public init(
            hook: String,
            kind: String,
            runs: UInt64,
            failedRuns: UInt64,
            superseded: UInt64,
            running: Int,
            waiting: Int,
            failures: Int,
            pausedMilliseconds: Int64? = nil,
            last: Run? = nil
        ) {
            self.hook = hook
            self.kind = kind
            self.runs = runs
            self.failedRuns = failedRuns
            self.superseded = superseded
            self.running = running
            self.waiting = waiting
            self.failures = failures
            self.pausedMilliseconds = pausedMilliseconds
            self.last = last
        }

        /// The minimum number of consecutive failures of a hook that fails repeatedly.
        public static let repeatedFailures = 3

        /// True if it fails repeatedly, if its file is refused, or while a request is being retried.
        public var isTroubled: Bool {
            attempt != nil || last?.ending.outcome == "refused" || (failures ?? 0) >= Self.repeatedFailures
        }

        /// A failed attempt to send a request.
        public struct Attempt: Codable, Sendable, Hashable {
            /// The number of requests of this run so far.
            public var attempts: Int?
            /// The maximum number of requests.
            public var maximum: Int?
            /// The code of the failure.
            public var code: String?
            /// The details, for people.
            public var detail: String?
            /// The status of the response.
            public var httpStatus: Int?
            /// The moment of the failure, on the clock as it is set now.
            public var time: Timestamp?
            /// The pause before the next attempt, in milliseconds.
            public var pauseMilliseconds: Int64?

            private enum CodingKeys: String, CodingKey {
                case attempts
                case maximum = "max_attempts"
                case code, detail
                case httpStatus = "http_status"
                case time
                case pauseMilliseconds = "pause_ms"
            }

            /// Creates an attempt.
            public init(
                attempts: Int,
                maximum: Int,
                code: String,
                detail: String,
                httpStatus: Int? = nil,
                time: Timestamp,
                pauseMilliseconds: Int64
            ) {
                self.attempts = attempts
                self.maximum = maximum
                self.code = code
                self.detail = detail
                self.httpStatus = httpStatus
                self.time = time
                self.pauseMilliseconds = pauseMilliseconds
            }
        }

        /// A run of a hook.
        public struct Run: Codable, Sendable, Hashable {
            /// The outcome of the run.
            public var ending: HookEnding
            /// The moment at which it ended, on the clock as it is set now.
            public var ended: Timestamp?
            /// The type of the event that it ran for, without the prefix.
            public var trigger: String?
            /// The number of that event.
            public var triggerSequence: UInt64?
            /// The last line of its output.
            public var output: String?

            private enum CodingKeys: String, CodingKey {
                case ended, trigger
                case triggerSequence = "trigger_seq"
                case output
            }

            /// Creates a run.
            public init(
                ending: HookEnding,
                ended: Timestamp? = nil,
                trigger: String,
                triggerSequence: UInt64? = nil,
                output: String? = nil
            ) {
                self.ending = ending
                self.ended = ended
                self.trigger = trigger
                self.triggerSequence = triggerSequence
                self.output = output
            }

            /// Reads a run, with the ending's members beside its own.
            public init(from decoder: any Decoder) throws {
                ending = try HookEnding(from: decoder)
                let members = try decoder.container(keyedBy: CodingKeys.self)
                ended = try members.decodeIfPresent(Timestamp.self, forKey: .ended)
                trigger = try members.decodeIfPresent(String.self, forKey: .trigger)
                triggerSequence = try members.decodeIfPresent(UInt64.self, forKey: .triggerSequence)
                output = try members.decodeIfPresent(String.self, forKey: .output)
            }

            /// Writes a run, with the ending's members before its own.
            public func encode(to encoder: any Encoder) throws {
                try ending.encode(to: encoder)
                var members = encoder.container(keyedBy: CodingKeys.self)
                try members.encodeIfPresent(ended, forKey: .ended)
                try members.encodeIfPresent(trigger, forKey: .trigger)
                try members.encodeIfPresent(triggerSequence, forKey: .triggerSequence)
                try members.encodeIfPresent(output, forKey: .output)
            }
        }
    }

    /// The hooks as a whole.
    public struct HookSetup: Codable, Sendable, Hashable {
        /// The directories whose files are run, by descending priority.
        @List public var directories: [String]
        /// The method by which the processes of a run are found: `control_groups` or `descendants`; `nil` before the
        /// first run.
        public var containment: String?
        /// The control group, or the reason that there are none.
        public var containmentDetail: String?
        /// `true` if hooks are switched off; `nil` otherwise.
        public var disabled: Bool?

        private enum CodingKeys: String, CodingKey {
            case directories, containment, disabled
            case containmentDetail = "containment_detail"
        }

        /// Creates a hook setup.
        public init(
            directories: [String],
            containment: String? = nil,
            containmentDetail: String? = nil,
            disabled: Bool? = nil
        ) {
            self.directories = directories
            self.containment = containment
            self.containmentDetail = containmentDetail
            self.disabled = disabled
        }
    }
}
