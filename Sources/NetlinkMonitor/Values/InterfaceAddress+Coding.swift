extension InterfaceAddress: Codable {
    private enum Member: String, CodingKey { case interfaceIndex, address, prefixLength, peer, scope, flags }

    /// Decodes an address; prefix length and peer must match its family.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Member.self)
        let address = try members.decode(IPAddress.self, forKey: .address)
        let prefixLength = try members.decode(Int.self, forKey: .prefixLength)
        let peer = try members.decodeIfPresent(IPAddress.self, forKey: .peer)
        guard (0...address.family.bitWidth).contains(prefixLength) else {
            throw DecodingError.dataCorruptedError(
                forKey: .prefixLength,
                in: members,
                debugDescription: "longer than an address of the family"
            )
        }
        guard peer.map({ $0.family == address.family }) ?? true else {
            throw DecodingError.dataCorruptedError(
                forKey: .peer,
                in: members,
                debugDescription: "not of the address's family"
            )
        }
        self.init(
            interfaceIndex: try members.decode(UInt32.self, forKey: .interfaceIndex),
            address: address,
            prefixLength: prefixLength,
            peer: peer,
            scope: try members.decode(UInt8.self, forKey: .scope),
            flags: try members.decode(Flags.self, forKey: .flags)
        )
    }

    /// Encodes every property; the peer only if there is one.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Member.self)
        try members.encode(interfaceIndex, forKey: .interfaceIndex)
        try members.encode(address, forKey: .address)
        try members.encode(prefixLength, forKey: .prefixLength)
        try members.encodeIfPresent(peer, forKey: .peer)
        try members.encode(scope, forKey: .scope)
        try members.encode(flags, forKey: .flags)
    }
}
