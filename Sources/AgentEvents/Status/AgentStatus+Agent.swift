extension AgentStatus {
    /// The agent that replies.
    public struct Agent: Codable, Sendable, Hashable {
        /// The agent's version.
        public var version: String?
        /// The version of the schema.
        public var schema: Int?
        /// The machine's name.
        public var host: String?
        /// The agent's process.
        public var processID: Int32?
        /// The moment of its start.
        public var started: Timestamp?
        /// The time since then, in milliseconds, by a monotonic clock.
        public var uptimeMilliseconds: Int64?
        /// The kernel's id of this boot of the machine.
        public var bootID: String?
        /// The stream that the numbers belong to.
        public var stream: String?

        private enum CodingKeys: String, CodingKey {
            case version, schema, host
            case processID = "pid"
            case started
            case uptimeMilliseconds = "uptime_ms"
            case bootID = "boot_id"
            case stream
        }

        /// Creates an agent.
        public init(
            version: String,
            schema: Int,
            host: String? = nil,
            processID: Int32,
            started: Timestamp,
            uptimeMilliseconds: Int64,
            bootID: String? = nil,
            stream: String
        ) {
            self.version = version
            self.schema = schema
            self.host = host
            self.processID = processID
            self.started = started
            self.uptimeMilliseconds = uptimeMilliseconds
            self.bootID = bootID
            self.stream = stream
        }
    }

    /// The sockets.
    public struct Sockets: Codable, Sendable, Hashable {
        /// The path of the event socket.
        public var events: String?
        /// The path of the control socket.
        public var control: String?
        /// The path of the HTTP socket.
        public var http: String?
        /// The number of connections to all of them.
        public var connections: Int?
        /// The maximum number of connections.
        public var limit: Int?
        /// The addresses of `[http] listen` on which the agent cannot listen; they are retried.
        @OptionalList public var unavailable: [UnavailableAddress]

        /// Creates the sockets.
        public init(
            events: String,
            control: String,
            http: String? = nil,
            connections: Int,
            limit: Int?,
            unavailable: [UnavailableAddress] = []
        ) {
            self.events = events
            self.control = control
            self.http = http
            self.connections = connections
            self.limit = limit
            self.unavailable = unavailable
        }
    }

    /// An address with a port, on which the agent cannot listen.
    public struct UnavailableAddress: Codable, Sendable, Hashable {
        /// The address, such as `192.0.2.1:9718`.
        public var address: String
        /// The reason, such as `Cannot assign requested address`.
        public var detail: String?

        /// Creates an unavailable address.
        public init(address: String, detail: String?) {
            self.address = address
            self.detail = detail
        }
    }

    /// The losses of kernel messages since the start.
    public struct Overruns: Codable, Sendable, Hashable {
        /// The number of losses.
        public var count: UInt64?
        /// The number of datagrams that the kernel dropped, if it reports that.
        public var dropped: UInt64?
        /// The code of the last loss.
        public var code: String?
        /// The moment at which the last loss was noticed, on the clock as it is set now.
        public var last: Timestamp?

        /// Creates the losses.
        public init(count: UInt64, dropped: UInt64, code: String? = nil, last: Timestamp? = nil) {
            self.count = count
            self.dropped = dropped
            self.code = code
            self.last = last
        }
    }

    /// The configuration.
    public struct Configuration: Codable, Sendable, Hashable {
        /// The files, the main one first; empty without a configuration.
        @List public var files: [String]
        /// The moment at which they were last read and found valid.
        public var loaded: Timestamp?
        /// The time since then, by a clock that does not jump.
        public var loadedForMilliseconds: Int64?
        /// The main file, which a reload reads; `nil` if there is none.
        public var path: String?
        /// The files of which a reload reads the first that exists; empty if one was named.
        @OptionalList public var searched: [String]
        /// The last reload, if it was rejected; `nil` after a successful one.
        public var rejected: RejectedReload?

        private enum CodingKeys: String, CodingKey {
            case files, loaded
            case loadedForMilliseconds = "loaded_for_ms"
            case path, searched, rejected
        }

        /// Creates a configuration.
        public init(
            files: [String],
            loaded: Timestamp?,
            loadedForMilliseconds: Int64? = nil,
            path: String? = nil,
            searched: [String] = [],
            rejected: RejectedReload? = nil
        ) {
            self.files = files
            self.loaded = loaded
            self.loadedForMilliseconds = loadedForMilliseconds
            self.path = path
            self.searched = searched
            self.rejected = rejected
        }

        /// A rejected reload.
        public struct RejectedReload: Codable, Sendable, Hashable {
            /// The moment of the rejection, on the clock as it is set now.
            public var time: Timestamp?
            /// The errors, each with its file, line and key; at most 16.
            @List public var errors: [String]
            /// The number of further errors; `nil` if there are none.
            public var errorsOmitted: Int?

            private enum CodingKeys: String, CodingKey {
                case time, errors
                case errorsOmitted = "errors_omitted"
            }

            /// Creates a rejected reload.
            public init(_ rejection: ConfigurationRejection, time: Timestamp) {
                self.time = time
                errors = rejection.errors
                errorsOmitted = rejection.errorsOmitted
            }
        }
    }

    /// A settled change.
    public struct Transition: Codable, Sendable, Hashable {
        /// The event's number.
        public var sequence: UInt64?
        /// The moment at which it was published.
        public var time: Timestamp?
        /// The event's type.
        public var type: String?
        /// The subject: `default`, or the name of a target, an uplink or a probe.
        public var subject: String?
        /// The state before, as text.
        public var from: String?
        /// The state after, as text.
        public var to: String?
        /// The code of the cause.
        public var code: String?
        /// The interface concerned.
        public var interface: String?
        /// The family of a probe; `nil` for any.
        public var family: String?
        /// The details, for people.
        public var detail: String?

        private enum CodingKeys: String, CodingKey {
            case sequence = "seq"
            case time, type, subject, from, to, code, interface, family, detail
        }

        /// Creates a transition.
        public init(
            sequence: UInt64,
            time: Timestamp,
            type: String,
            subject: String,
            from: String? = nil,
            to: String,
            code: String,
            interface: String? = nil,
            family: String? = nil,
            detail: String? = nil
        ) {
            self.sequence = sequence
            self.time = time
            self.type = type
            self.subject = subject
            self.from = from
            self.to = to
            self.code = code
            self.interface = interface
            self.family = family
            self.detail = detail
        }
    }
}

extension AgentStatus {
    /// True for an agent that looks for no configuration file at all (`--no-config`).
    package var readsNoConfiguration: Bool {
        guard let configuration else { return true }
        return configuration.path == nil && configuration.files.isEmpty && configuration.searched.isEmpty
    }
}
