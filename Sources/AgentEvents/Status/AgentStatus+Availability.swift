extension AgentStatus {
    /// The availability of the default path or of an uplink.
    public struct Availability: Codable, Sendable, Hashable {
        /// The uplink's interface; `nil` for the default path.
        public var uplink: String?
        /// The share of the present day, which begins at local midnight.
        public var today: Share
        /// The share of the present day and the 29 before it.
        public var thirtyDays: Share

        private enum CodingKeys: String, CodingKey {
            case uplink, today
            case thirtyDays = "days_30"
        }

        /// An availability.
        public init(uplink: String? = nil, today: Share, thirtyDays: Share) {
            self.uplink = uplink
            self.today = today
            self.thirtyDays = thirtyDays
        }

        /// A share of time.
        public struct Share: Codable, Sendable, Hashable {
            /// The time in which something beyond the first hop answered, in microseconds.
            public var availableMicroseconds: Int64
            /// The time of which something is known, in microseconds.
            public var knownMicroseconds: Int64

            private enum CodingKeys: String, CodingKey {
                case availableMicroseconds = "available_us"
                case knownMicroseconds = "known_us"
            }

            /// A share.
            public init(availableMicroseconds: Int64, knownMicroseconds: Int64) {
                self.availableMicroseconds = availableMicroseconds
                self.knownMicroseconds = knownMicroseconds
            }

            /// Per cent with three decimals, rounded down so that 100 is never reached by rounding; `nil` of nothing.
            public var percent: String? {
                guard knownMicroseconds > 0 else { return nil }
                let share = max(0, Int128(availableMicroseconds)) * 100_000 / Int128(knownMicroseconds)
                let decimals = String(share % 1000)
                return "\(share / 1000)." + String(repeating: "0", count: 3 - decimals.utf8.count) + decimals
            }
        }
    }
}
