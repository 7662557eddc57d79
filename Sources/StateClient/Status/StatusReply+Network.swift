public import EventEnvelope

extension StatusReply {
    /// A target, and how it is reachable.
    public struct Target: Decodable, Sendable, Hashable {
        /// The name under which its events are published.
        public let name: String?
        /// How it is reachable.
        public let standing: Standing

        private enum CodingKeys: String, CodingKey { case name }

        /// Reads a target.
        public init(from decoder: any Decoder) throws {
            name = try decoder.container(keyedBy: CodingKeys.self).value(.name)
            standing = try Standing(from: decoder)
        }
    }

    /// An interface.
    public struct Interface: Decodable, Sendable, Hashable {
        /// The interface's number.
        public let index: UInt32?
        /// The name.
        public let name: String?
        /// The kind: `wifi`, `wwan`, `wired` and so on.
        public let kind: String?
        /// Whether another kind could hide behind the same evidence.
        public let kindIsGuess: Bool?
        /// Whether packets can pass.
        public let isUsable: Bool?
        /// What keeps packets from passing, or `up`, in words.
        public let state: String?
        /// The addresses.
        public let addresses: [Address]

        private enum CodingKeys: String, CodingKey {
            case name, kind, state, addresses
            case index = "ifindex"
            case kindIsGuess = "kind_is_guess"
            case isUsable = "usable"
        }

        /// Reads an interface.
        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            index = members.value(.index)
            name = members.value(.name)
            kind = members.value(.kind)
            kindIsGuess = members.value(.kindIsGuess)
            isUsable = members.value(.isUsable)
            state = members.value(.state)
            addresses = members.list(.addresses)
        }
    }

    /// An address of an interface.
    public struct Address: Decodable, Sendable, Hashable {
        /// The address.
        public let address: String?
        /// How many bits the network's prefix has.
        public let prefixLength: Int?
        /// Whether packets can be sent from it.
        public let isUsable: Bool?
        /// What the kernel notes about it, such as `tentative`.
        public let flags: [String]

        private enum CodingKeys: String, CodingKey {
            case address, flags
            case prefixLength = "prefix_length"
            case isUsable = "usable"
        }

        /// Reads an address.
        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            address = members.value(.address)
            prefixLength = members.value(.prefixLength)
            isUsable = members.value(.isUsable)
            flags = members.list(.flags)
        }
    }

    /// A settled change.
    public struct Transition: Decodable, Sendable, Hashable {
        /// The event's number.
        public let sequence: UInt64?
        /// When it was published.
        public let time: Timestamp?
        /// The event's type.
        public let type: String?
        /// What changed: `default`, or a target's or a probe's name.
        public let subject: String?
        /// The state before, in words.
        public let from: String?
        /// The state after, in words.
        public let to: String?
        /// The code of what made it change.
        public let code: String?
        /// The interface concerned.
        public let interface: String?
        /// The family that a probe is made in; `nil` for any.
        public let family: String?
        /// The particulars, for people.
        public let detail: String?

        private enum CodingKeys: String, CodingKey {
            case time, type, subject, from, to, code, interface, family, detail
            case sequence = "seq"
        }

        /// Reads a change.
        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            sequence = members.value(.sequence)
            time = members.timestamp(.time)
            type = members.value(.type)
            subject = members.value(.subject)
            from = members.value(.from)
            to = members.value(.to)
            code = members.value(.code)
            interface = members.value(.interface)
            family = members.value(.family)
            detail = members.value(.detail)
        }
    }
}
