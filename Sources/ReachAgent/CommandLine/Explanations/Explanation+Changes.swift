internal import AgentEvents
internal import NetlinkMonitor
internal import Probes
internal import Reachability

extension ReasonCode: ExplainedCode {
    /// The meaning and the remedy.
    var explanation: Explanation.Meaning {
        let action = Advice.action(on: rawValue)?.description ?? "`reachagent status` has the details."
        // Without the interface, the kind of link decides which one helps; the status names that one.
        let links = """
            Cable: check it and the switch port, `ethtool IF`; Wi-Fi: `iw dev`, `rfkill list`; modem: `mmcli -m any`; \
            switched off: `ip link set IF up`.
            """
        return (sentence, self == .linkDown ? "\(action) \(links)" : action)
    }
}

extension FindingCode: ExplainedCode {
    /// The meaning and the remedy.
    var explanation: Explanation.Meaning { (sentence, configuredRemedy) }
}

extension SinkCode: ExplainedCode {
    /// The meaning and the remedy.
    var explanation: Explanation.Meaning { (sentence, remedy) }
}

extension NetworkChange.Code: ExplainedCode {
    /// The meaning, and where to look if the change is unwanted: a change is not a fault.
    var explanation: Explanation.Meaning {
        switch self {
        case .linkAdded: ("An interface appeared.", "Nothing; `reachagent interfaces` shows it.")
        case .linkRemoved:
            ("An interface is gone.", "Nothing; if it was unplugged or reset by itself, `journalctl -k` says so.")
        case .linkRenamed:
            ("An interface has another name.", "Change the names in the configuration, if it has the old one.")
        case .linkUp: ("An interface can pass packets now.", "Nothing.")
        case .linkDown:
            ("An interface cannot pass packets any more.", "`reachagent interfaces` shows which part is missing.")
        case .linkChanged:
            (
                "Something else about an interface changed: a flag, the state, the interface below it.",
                "Nothing; `reachagent interfaces` shows it."
            )
        case .kindChanged:
            (
                "The agent recognizes an interface as another kind than before.",
                "Nothing; if it is wrong, set it with 'kinds' in [interfaces]: `reachagent interfaces` has the evidence."
            )
        case .addressAdded: ("An interface got an address, or an address became usable.", "Nothing.")
        case .addressRemoved:
            (
                "An interface lost an address, or an address became unusable.",
                "Nothing, if it was meant; else look at the DHCP client's log, and for a duplicate: `ip address`."
            )
        case .addressChanged: ("The flags of an address changed, and its usability did not.", "Nothing.")
        case .routeAdded: ("A default route appeared.", "Nothing.")
        case .routeRemoved:
            ("A default route is gone.", "Nothing, if it was meant; else look at the network manager's log.")
        case .routeExpired:
            (
                "A route's lifetime ended: the IPv6 router sent no new advertisement.",
                "Check the router, and that its advertisements arrive: a firewall may drop ICMPv6."
            )
        case .ruleChanged: ("The policy rules changed.", "Nothing; `ip rule` and `ip -6 rule` show them.")
        case .neighbourChanged:
            (
                "A router stopped answering, or answers again, and the kernel chose another route.",
                "Check the router that the detail names: `ip neighbour`."
            )
        case .sysctlChanged:
            ("A sysctl that route lookups depend on was set.", "Nothing; the detail names the sysctl.")
        case .lookupChanged:
            (
                "The kernel now resolves an address differently, without a message that says why.",
                "Nothing; `reachagent route ADDRESS` shows the present path."
            )
        case .underlayChanged:
            ("The interface that carries a tunnel changed.", "Nothing; `reachagent status uplinks` shows it.")
        case .synchronizationChanged:
            (
                "Kernel messages were lost, so that the state is not reliable, or it is reliable again.",
                "Nothing: the agent reads the kernel's state again; `reachagent status agent` counts the losses."
            )
        }
    }
}

extension Reachability.ChangeCause.Code: ExplainedCode {
    /// The meaning and the remedy.
    var explanation: Explanation.Meaning {
        switch self {
        case .initial: ("The first snapshot of the kernel: the agent has started.", "Nothing.")
        case .configReloaded: ("A reload changed targets, probes or settle times.", "Nothing.")
        case .flappingStarted:
            (
                "The state or the verdict began to change too often to be relied on.",
                "Look for a bad cable, a roaming Wi-Fi, or a probe with too short a timeout: `reachagent history`."
            )
        case .flappingStopped: ("The state or the verdict no longer changes too often.", "Nothing.")
        case .probeUp: ("A probe's target answers as expected.", "Nothing.")
        case .probeDown:
            ("A probe's target does not answer as expected.", "`reachagent probe NAME` shows each step of the check.")
        case .probePortal:
            (
                "A captive portal answers in the place of a probe's target.",
                "Log in; `reachagent status` has the portal's address."
            )
        case .probeUnknown:
            (
                "A probe has no verdict any more, or not yet: nothing is known about its target.",
                "`reachagent status probes` has the reason; `reachagent check NAME` checks now."
            )
        case .suspended:
            (
                "The verdict on a gateway is from before a suspend, in an outage that continues.",
                "Nothing: the gateway is checked at once."
            )
        }
    }
}
