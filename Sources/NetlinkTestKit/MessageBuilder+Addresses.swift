public import NetlinkMonitor

extension MessageBuilder {
    /// Returns `RTM_NEWADDR` as the kernel sends it: in IPv4 with `IFA_LOCAL`, in IPv6 only with a peer.
    ///
    /// - Parameters:
    ///   - address: The content of the message.
    ///   - validSeconds: The valid lifetime; each refresh of it is a message of its own.
    public static func address(_ address: InterfaceAddress, validSeconds: UInt32 = .max) -> MessageBuilder {
        addressMessage(Rtnetlink.newAddress, address, validSeconds)
    }

    /// Returns `RTM_DELADDR`.
    public static func addressRemoved(_ address: InterfaceAddress) -> MessageBuilder {
        addressMessage(Rtnetlink.deleteAddress, address, .max)
    }

    private static func addressMessage(
        _ type: UInt16,
        _ address: InterfaceAddress,
        _ validSeconds: UInt32
    ) -> MessageBuilder {
        var attributes = [NetlinkAttribute.address(Rtnetlink.Address.address, address.peer ?? address.address)]
        if address.address.family == .ipv4 || address.peer != nil {
            attributes.append(.address(Rtnetlink.Address.local, address.address))
        }
        attributes.append(.uint32(Rtnetlink.Address.flags, address.flags.rawValue))
        attributes.append(
            NetlinkAttribute(
                Rtnetlink.Address.lifetimes,
                [validSeconds, validSeconds, 0, 0].flatMap { hostBytes($0) }
            )
        )
        let header = [
            address.address.family.number, UInt8(truncatingIfNeeded: address.prefixLength),
            UInt8(truncatingIfNeeded: address.flags.rawValue), address.scope,
        ]
        return MessageBuilder(type, fixed: header + hostBytes(address.interfaceIndex), attributes: attributes)
    }
}

extension AddressFamily {
    /// `AF_INET` or `AF_INET6`.
    var number: UInt8 { self == .ipv4 ? 2 : 10 }
}
