public import NetlinkMonitor

extension MessageBuilder {
    /// `RTM_NEWLINK` with everything that makes the message a complete description of the interface.
    ///
    /// - Parameters:
    ///   - index: The interface's index.
    ///   - name: Its name.
    ///   - flags: `ifi_flags`.
    ///   - state: `IFLA_OPERSTATE`.
    ///   - hardwareType: `ifi_type` (ARPHRD_…): 1 is Ethernet.
    ///   - attributes: More attributes, behind the name and the state.
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

    /// The short `RTM_NEWLINK` of the wireless extensions: name, flags and an event, nothing else.
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

    /// `RTM_DELLINK`.
    public static func linkRemoved(_ index: UInt32, _ name: String) -> MessageBuilder {
        MessageBuilder(
            Rtnetlink.deleteLink,
            fixed: linkHeader(index, []),
            attributes: [.text(Rtnetlink.Link.name, name)]
        )
    }

    /// What a bridge says about a port of its own (`AF_BRIDGE`): with `RTM_DELLINK`, that the port has left it.
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

    /// `struct ifinfomsg`.
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
    /// `IFLA_LINKINFO` with the driver's kind, and what that driver has to say.
    public static func linkInfo(_ kind: String, data: [NetlinkAttribute] = []) -> NetlinkAttribute {
        .nested(
            Rtnetlink.Link.info,
            [.text(Rtnetlink.Link.infoKind, kind)] + (data.isEmpty ? [] : [.nested(Rtnetlink.Link.infoData, data)])
        )
    }

    /// `IFLA_LINK`: the interface below.
    public static func lower(_ index: UInt32) -> NetlinkAttribute { .uint32(Rtnetlink.Link.lower, index) }

    /// `IFLA_MASTER`: the interface that this one is a port of.
    public static func master(_ index: UInt32) -> NetlinkAttribute { .uint32(Rtnetlink.Link.master, index) }

    /// `IFLA_PARENT_DEV_NAME`: the device that carries the interface.
    public static func parentDevice(_ name: String) -> NetlinkAttribute { .text(Rtnetlink.Link.parentDevice, name) }
}
