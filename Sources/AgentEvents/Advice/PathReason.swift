/// The code of an unusable path as a clause, with the first thing to do.
struct PathReason {
    let advice: Advice

    /// The reason as a clause: `no carrier on eth0`.
    var problem: String { advice.problem }

    /// Returns the reason for a code that this version does not know.
    static func unknown(_ code: String) -> PathReason {
        PathReason(code, "there is no path", "`reachagent interfaces` and `ip route` show what there is.")
    }

    private init(_ code: String, _ problem: String, _ action: Advice.Action) {
        advice = Advice(code: code, problem: problem, action: action)
    }

    /// Creates the reason of a path; `nil` for a code that does not belong to a path.
    init?(_ code: String, of path: Path, among interfaces: [Interface]) {
        self.init(
            code,
            of: path.interface,
            family: Family(lackedBy: path, among: interfaces) ?? Family(of: path),
            underlay: path.underlay,
            among: interfaces
        )
    }

    /// Creates the reason of the paths of both families together; `nil` for a code that does not belong to a path.
    init?(_ code: String, of paths: ReachabilityState.Paths, among interfaces: [Interface]) {
        let families = [(Family.ipv4, paths.ipv4), (.ipv6, paths.ipv6)].filter { $0.1?.reason == code }.map(\.0)
        let common = families.isEmpty ? Family(of: paths.overall) : families.count == 1 ? families.first : nil
        self.init(
            code,
            of: paths.overall.interface,
            family: Family(lackedBy: paths.overall, among: interfaces) ?? common,
            underlay: paths.overall.underlay,
            among: interfaces
        )
    }

    /// The family of a path, in which an address is missing.
    private enum Family: String {
        case ipv4 = "IPv4"
        case ipv6 = "IPv6"
        case linkLocal = "link-local IPv6"

        init?(of path: Path) {
            guard let address = path.prefix ?? path.gateway else { return nil }
            self = address.contains(":") ? .ipv6 : .ipv4
        }

        /// Creates the family of the address from which the kernel solicits the IPv6 router of an IPv4 path; `nil` if
        /// there is one, or for any other path.
        init?(lackedBy path: Path, among interfaces: [Interface]) {
            guard Family(of: path) == .ipv4, path.gateway?.contains(":" as Character) == true,
                let interface = interfaces.first(where: { $0.name == path.interface }),
                !interface.addresses.contains(where: { $0.isUsable != false && $0.address.hasPrefix("fe80:") })
            else { return nil }
            self = .linkLocal
        }
    }

    /// Creates the reason of an interface's path; `nil` for a code that does not belong to a path.
    init?(_ code: String, of name: String?, among interfaces: [Interface]) {
        self.init(code, of: name, family: nil, underlay: nil, among: interfaces)
    }

    private init?(
        _ code: String,
        of name: String?,
        family: Family?,
        underlay: Path.Underlay?,
        among interfaces: [Interface]
    ) {
        let interface = interfaces.first { $0.name == name }
        let subject = name ?? "the interface"
        switch code {
        case "link_down":
            guard let name else {
                self.init(code, "the interface is down", "`reachagent interfaces` shows which part is missing.")
                return
            }
            self.init(code, linkOf: name, interface)
        case "link_dormant":
            self.init(
                code,
                "\(subject) is associated and waits for its keys",
                "Check the passphrase: `journalctl -b -u wpa_supplicant -u iwd` has the reason."
            )
        // The kernel names the loopback also for a route of type local, and no setting makes that lead out.
        case "leads_nowhere" where name == "lo" || interface?.kind == "loopback":
            self.init(
                code,
                "the default route ends at this machine: it is of type 'local', or leads into \(subject)",
                "`ip route show table all default`, `ip rule` and `ip -6 rule` show the route."
            )
        case "leads_nowhere":
            self.init(
                code,
                "the default route leads into \(subject), which leads nowhere",
                """
                `ip route show table all default`, `ip rule` and `ip -6 rule` show the route. If \(subject), or a \
                dummy device below it, does lead out, set the kind of that device with 'kinds' in [interfaces].
                """
            )
        case "no_address": self.init(code, addressOf: name, family, interface)
        case "address_tentative":
            self.init(
                code,
                "the address of \(subject) is still being checked for duplicates",
                name.map {
                    "Wait a second or two; if it stays so, see \(command: "ip address show dev \($0) tentative")."
                } ?? "Wait a second or two; if it stays so, see `ip address show tentative`."
            )
        case "no_route": self = Self.missingRoute(code, interfaces)
        case "route_unreachable": self.init(code, route: "unreachable", "refuses all packets")
        case "route_blackhole": self.init(code, route: "blackhole", "drops all packets")
        case "route_prohibited": self.init(code, route: "prohibit", "forbids all packets")
        case "underlay_down":
            let obstacle =
                switch (underlay, underlay?.interface) {
                case (nil, _): "its own packets cannot leave"
                case (_, nil): "nothing below it can send its packets"
                case (_, let below?): "the interface \(below) below it cannot send its packets"
                }
            self.init(
                code,
                "the tunnel \(name.map { "\($0) " } ?? "")has no egress: \(obstacle)",
                "Bring the interface below the tunnel up: `reachagent interfaces` and `ip route` show what is missing."
            )
        case "lookup_failed":
            self.init(
                code,
                "the kernel rejected the route lookup",
                "`reachagent diagnose` names the address, and `ip route get ADDRESS` shows the kernel's error: report it."
            )
        default: return nil
        }
    }

    private init(_ code: String, linkOf name: String, _ interface: Interface?) {
        if interface?.state == "administratively down" {
            let step: ShellCommand = "ip link set \(name) up"
            // The kernel switches the interfaces of a blocked radio off, and refuses to switch them on.
            if let kind = interface?.kind, ["wifi", "wwan", "bluetooth"].contains(kind) {
                self.init(
                    code,
                    "\(name) or its radio is switched off",
                    "`rfkill list` shows a radio that is blocked; otherwise switch the interface on: \(change: step)."
                )
            } else {
                self.init(code, "\(name) is switched off", "Switch it on: \(change: step).")
            }
            return
        }
        let problem = interface?.state == "no carrier" ? "no carrier on \(name)" : "\(name) is down"
        switch interface?.kind {
        case "wifi":
            self.init(
                code,
                problem,
                "Check the access point and the radio: \(command: "iw dev \(name) link"), `rfkill list`."
            )
        case "wwan": self.init(code, problem, "Check the modem and its signal: `mmcli -m any`.")
        case "wired": self.init(code, problem, "Check the cable and the switch port: \(command: "ethtool \(name)").")
        default:
            self.init(code, problem, "\(command: "ip -d link show dev \(name)") and `reachagent interfaces` say more.")
        }
    }

    private init(_ code: String, addressOf name: String?, _ family: Family?, _ interface: Interface?) {
        let log: ShellCommand = "journalctl -b -u NetworkManager -u systemd-networkd -u dhcpcd"
        let words = [family?.rawValue, "address"].compactMap { $0 }.joined(separator: " ")
        guard let name else {
            self.init(code, "there is no \(words) to send from", "Check the DHCP client: \(command: log).")
            return
        }
        if family == .linkLocal {
            let setting: ShellCommand = "sysctl net/ipv6/conf/\(name)/disable_ipv6"
            self.init(
                code,
                "\(name) has no \(words) from which to find its IPv6 router",
                "Check the address: \(command: "ip -6 address show dev \(name)"), \(command: setting)."
            )
            return
        }
        // Only IPv6 has duplicate address detection in the kernel.
        if family != .ipv4, let duplicate = interface?.duplicateAddress {
            self.init(
                code,
                "\(name) has no \(words) to send from: another machine uses \(duplicate)",
                "Give one of the two another address: \(command: "ip address show dev \(name) dadfailed")."
            )
            return
        }
        let cause = family == .ipv6 ? "the router advertisements and the DHCP client" : "the DHCP client"
        self.init(
            code,
            "\(name) has no \(words) to send from",
            "Check \(cause): \(command: log), \(command: "ip address show dev \(name)")."
        )
    }

    private init(_ code: String, route type: String, _ effect: String) {
        self.init(
            code,
            "a route or rule of type '\(type)' \(effect)",
            "\(command: "ip route show table all type \(type)"), `ip rule` and `ip -6 rule` show it: often a VPN's kill switch."
        )
    }

    /// Returns the reason for a missing route.
    ///
    /// A network manager removes the route with the link or the address, so a missing link or address comes first.
    private static func missingRoute(_ code: String, _ interfaces: [Interface]) -> PathReason {
        var media = interfaces.filter { ["wired", "wifi", "wwan"].contains($0.kind) }
        // A container's egress is a veth without evidence of a medium.
        if media.isEmpty { media = interfaces.filter { $0.kind == "virtual" && $0.hasGlobalAddress } }
        func because(_ reason: PathReason) -> PathReason {
            PathReason(code, "no route: \(reason.problem)", reason.advice.action)
        }
        if let link = media.first(where: { $0.state == "no carrier" }) ?? media.first,
            media.allSatisfy({ $0.isUsable == false })
        {
            return because(PathReason("link_down", linkOf: link.name, link))
        }
        if let bare = media.first(where: { $0.isUsable == true && !$0.hasGlobalAddress }),
            !media.contains(where: { $0.isUsable == true && $0.hasGlobalAddress })
        {
            return because(PathReason("no_address", addressOf: bare.name, nil, bare))
        }
        return PathReason(
            code,
            "no route",
            "No default route is set: `ip route`, `ip -6 route`, `ip rule` and `ip -6 rule` show what there is."
        )
    }
}

extension Interface {
    /// The first address that duplicate address detection found on another machine.
    fileprivate var duplicateAddress: String? {
        addresses.first { $0.flags.contains("dadfailed") }?.address
    }

    /// True with an address that is reachable from beyond the link.
    fileprivate var hasGlobalAddress: Bool {
        addresses.contains {
            $0.isUsable != false && !$0.address.hasPrefix("fe80:") && !$0.address.hasPrefix("169.254.")
        }
    }
}
