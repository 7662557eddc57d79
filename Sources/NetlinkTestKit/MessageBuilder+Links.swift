public import NetlinkMonitor

extension MessageBuilder {
    /// Returns `RTM_NEWLINK` with all properties of a complete description of the interface.
    ///
    /// - Parameters:
    ///   - index: The interface's index.
    ///   - name: Its name.
    ///   - flags: `ifi_flags`.
    ///   - state: `IFLA_OPERSTATE`.
    ///   - hardwareType: `ifi_type` (ARPHRD_…): 1 is Ethernet.
    ///   - attributes: More attributes, after the name and the state.
    public static func link(
        _ index: UInt32,
        _ name: String,
        _ flags: LinkFlags = [],
        _ state: OperationalState = .unknown,
        hardwareType: UInt16 = 1,
        attributes: [NetlinkAttribute] = []
    ) -> MessageBuilder {
        MessageBuilder(
            Rtnetlink.newLink,
            fixed: linkHeader(index, flags, hardwareType: hardwareType),
            attributes: [
                .text(Rtnetlink.Link.name, name),
                .uint8(Rtnetlink.Link.operationalState, state.rawValue),
                .uint8(Rtnetlink.Link.carrier, flags.contains(.lowerUp) ? 1 : 0),
            ] + attributes
        )
    }

    /// Returns the short `RTM_NEWLINK` of the wireless extensions: name, flags and an event, nothing else.
    public static func wirelessEvent(
        _ index: UInt32,
        _ name: String,
        _ flags: LinkFlags,
        event: [UInt8] = [UInt8](repeating: 0, count: 16)
    ) -> MessageBuilder {
        MessageBuilder(
            Rtnetlink.newLink,
            fixed: linkHeader(index, flags),
            attributes: [.text(Rtnetlink.Link.name, name), NetlinkAttribute(Rtnetlink.Link.wireless, event)]
        )
    }

    /// Returns `RTM_DELLINK`.
    public static func linkRemoved(_ index: UInt32, _ name: String) -> MessageBuilder {
        MessageBuilder(
            Rtnetlink.deleteLink,
            fixed: linkHeader(index, []),
            attributes: [.text(Rtnetlink.Link.name, name)]
        )
    }

    /// Returns a bridge's message about one of its ports (`AF_BRIDGE`); `RTM_DELLINK` means that the port has left it.
    public static func bridgePort(_ type: UInt16, _ index: UInt32, _ name: String) -> MessageBuilder {
        MessageBuilder(
            type,
            fixed: linkHeader(index, [], family: Rtnetlink.familyBridge),
            attributes: [
                .text(Rtnetlink.Link.name, name),
                .uint8(Rtnetlink.Link.operationalState, OperationalState.down.rawValue),
            ]
        )
    }

    /// Returns `struct ifinfomsg`.
    public static func linkHeader(
        _ index: UInt32,
        _ flags: LinkFlags,
        hardwareType: UInt16 = 1,
        family: UInt8 = Rtnetlink.familyAny
    ) -> [UInt8] {
        [family, 0] + hostBytes(hardwareType) + hostBytes(index) + hostBytes(flags.rawValue) + hostBytes(UInt32(0))
    }
}

extension NetlinkAttribute {
    /// Returns `IFLA_LINKINFO` with the driver's kind and data.
    public static func linkInfo(_ kind: String, data: [NetlinkAttribute] = []) -> NetlinkAttribute {
        .nested(
            Rtnetlink.Link.info,
            [.text(Rtnetlink.Link.infoKind, kind)] + (data.isEmpty ? [] : [.nested(Rtnetlink.Link.infoData, data)])
        )
    }

    /// Returns `IFLA_PROP_LIST` with alternative names.
    public static func alternativeNames(_ names: [String]) -> NetlinkAttribute {
        .nested(Rtnetlink.Link.properties, names.map { .text(Rtnetlink.Link.alternativeName, $0) })
    }

    /// Returns `IFLA_LINK`: the lower interface.
    public static func lower(_ index: UInt32) -> NetlinkAttribute { .uint32(Rtnetlink.Link.lower, index) }

    /// Returns `IFLA_MASTER`: the interface of which this one is a port.
    public static func master(_ index: UInt32) -> NetlinkAttribute { .uint32(Rtnetlink.Link.master, index) }

    /// Returns `IFLA_PARENT_DEV_NAME`: the bus device of the interface.
    public static func parentDevice(_ name: String) -> NetlinkAttribute { .text(Rtnetlink.Link.parentDevice, name) }
}

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
