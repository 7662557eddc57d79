extension AgentStatus {
    /// A settled state, the moments since which it holds, and the change that may replace it.
    public struct Standing: Codable, Sendable, Hashable {
        /// The settled state.
        public var state: ReachabilityState?
        /// The moment at which it was published; `nil` while nothing was.
        public var since: Timestamp?
        /// The time since then, in milliseconds, by a clock that does not jump.
        public var forMilliseconds: Int64?
        /// The moment since which the medium is the same, whatever else changed.
        public var viaSince: Timestamp?
        /// The time since then, in milliseconds.
        public var viaForMilliseconds: Int64?
        /// The moment since which the connectivity is the same; `nil` while it is not known.
        public var connectivitySince: Timestamp?
        /// The time since then, in milliseconds.
        public var connectivityForMilliseconds: Int64?
        /// The cause of the state.
        public var cause: ChangeCause?
        /// A state that was observed and has not held for the settle time.
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

        /// A state that was not published.
        public init(state: ReachabilityState) {
            self.state = state
        }

        /// A state that was observed and has not held for the settle time.
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

            /// A state that has not held.
            public init(state: ReachabilityState, since: Timestamp, forMilliseconds: Int64, cause: ChangeCause) {
                self.state = state
                self.since = since
                self.forMilliseconds = forMilliseconds
                self.cause = cause
            }
        }
    }

    /// A target, and how it is reachable.
    public struct Target: Codable, Sendable, Hashable {
        /// The target's name, the subject of its events.
        public var name: String
        /// Its reachability.
        public var standing: Standing

        private enum CodingKeys: String, CodingKey { case name }

        /// A target.
        public init(name: String, standing: Standing) {
            self.name = name
            self.standing = standing
        }

        /// Reads a target, with its standing beside the name.
        public init(from decoder: any Decoder) throws {
            name = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .name)
            standing = try Standing(from: decoder)
        }

        /// Writes a target, with its standing behind the name.
        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(name, forKey: .name)
            try standing.encode(to: encoder)
        }
    }
}
