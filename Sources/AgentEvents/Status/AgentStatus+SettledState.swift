extension AgentStatus {
    /// A settled state, the moments since which its parts hold, and the change that may replace it.
    public struct SettledState: Codable, Sendable, Hashable {
        /// The settled state.
        public var state: ReachabilityState?
        /// The moment at which it was published; `nil` before the first publication.
        public var since: Timestamp?
        /// The time since then, in milliseconds, by a monotonic clock.
        public var forMilliseconds: Int64?
        /// The moment since which the medium is unchanged.
        public var viaSince: Timestamp?
        /// The time since then, in milliseconds.
        public var viaForMilliseconds: Int64?
        /// The moment since which the connectivity is unchanged; `nil` while it is not known.
        public var connectivitySince: Timestamp?
        /// The time since then, in milliseconds.
        public var connectivityForMilliseconds: Int64?
        /// The cause of the state.
        public var cause: ChangeCause?
        /// An observed state that has not yet held for the settle time.
        public var pending: Pending?

        private enum CodingKeys: String, CodingKey {
            case state, since
            case forMilliseconds = "for_ms"
            case viaSince = "via_since"
            case viaForMilliseconds = "via_for_ms"
            case connectivitySince = "connectivity_since"
            case connectivityForMilliseconds = "connectivity_for_ms"
            case cause, pending
        }

        /// Creates a state that was not published.
        public init(state: ReachabilityState) {
            self.state = state
        }

        /// An observed state that has not yet held for the settle time.
        public struct Pending: Codable, Sendable, Hashable {
            /// The state.
            public var state: ReachabilityState?
            /// The moment since which the observed state differs from the settled one.
            public var since: Timestamp?
            /// The time since then, in milliseconds.
            public var forMilliseconds: Int64?
            /// The cause.
            public var cause: ChangeCause?

            private enum CodingKeys: String, CodingKey {
                case state, since
                case forMilliseconds = "for_ms"
                case cause
            }

            /// Creates a pending state.
            public init(state: ReachabilityState, since: Timestamp, forMilliseconds: Int64, cause: ChangeCause) {
                self.state = state
                self.since = since
                self.forMilliseconds = forMilliseconds
                self.cause = cause
            }
        }
    }

    /// A target and its reachability.
    public struct Target: Codable, Sendable, Hashable {
        /// The target's name, the subject of its events.
        public var name: String
        /// Its reachability.
        public var settled: SettledState

        private enum CodingKeys: String, CodingKey { case name }

        /// Creates a target.
        public init(name: String, settled: SettledState) {
            self.name = name
            self.settled = settled
        }

        /// Reads a target, with its settled state beside the name.
        public init(from decoder: any Decoder) throws {
            name = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .name)
            settled = try SettledState(from: decoder)
        }

        /// Writes a target, with its settled state after the name.
        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(name, forKey: .name)
            try settled.encode(to: encoder)
        }
    }
}

extension AgentStatus {
    /// The availability of the default path or of an uplink.
    public struct Availability: Codable, Sendable, Hashable {
        /// The uplink's interface; `nil` for the default path.
        public var uplink: String?
        /// The share of the current day, which starts at local midnight.
        public var today: Share
        /// The share of the current day and the 29 days before it.
        public var thirtyDays: Share

        private enum CodingKeys: String, CodingKey {
            case uplink, today
            case thirtyDays = "days_30"
        }

        /// Creates an availability.
        public init(uplink: String? = nil, today: Share, thirtyDays: Share) {
            self.uplink = uplink
            self.today = today
            self.thirtyDays = thirtyDays
        }

        /// A share of time.
        public struct Share: Codable, Sendable, Hashable {
            /// The time during which something beyond the first hop answered, in microseconds.
            public var availableMicroseconds: Int64
            /// The known time, in microseconds.
            public var knownMicroseconds: Int64

            private enum CodingKeys: String, CodingKey {
                case availableMicroseconds = "available_us"
                case knownMicroseconds = "known_us"
            }

            /// Creates a share.
            public init(availableMicroseconds: Int64, knownMicroseconds: Int64) {
                self.availableMicroseconds = availableMicroseconds
                self.knownMicroseconds = knownMicroseconds
            }

            /// Per cent with three decimals, rounded down so that rounding never results in 100; `nil` if nothing is
            /// known.
            public var percent: String? {
                guard knownMicroseconds > 0 else { return nil }
                let share = max(0, Int128(availableMicroseconds)) * 100_000 / Int128(knownMicroseconds)
                let decimals = String(share % 1000)
                return "\(share / 1000)." + String(repeating: "0", count: 3 - decimals.utf8.count) + decimals
            }
        }
    }
}
